package fleet.tower.service.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedy;
import fleet.tower.harness.Await;
import fleet.tower.home.Home;
import fleet.tower.home.OpenHome;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HaltedCall;
import fleet.tower.operation.Handler;
import fleet.tower.operation.LockHandlers;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxHandlers;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.operation.RunHandlers;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.TaskHandlers;
import fleet.tower.operation.TaskOperations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.run.RunStatus;
import fleet.tower.run.members.Member;
import fleet.tower.service.config.TestService;
import fleet.tower.task.Tasks;

@DisplayName("The calls on a home's files, in a process without Spring")
class CallsTest {
  private static final Caller ANN = Caller.of("ann", Role.AGENT, List.of());
  private static final RefusedRequest ASKED = new Offered();

  private final Home home;
  private final RunEngine engine;
  @AutoClose
  private final OpenHome open;
  private final WaitingCalls waits = new WaitingCalls(Places.ofOneCaller(10));
  private final Operations operations;
  private volatile List<Halt> halts = List.of();
  private final AtomicInteger looks = new AtomicInteger();

  CallsTest(@TempDir Path root) {
    TestService.declare(root, "say", """
        mode: observe
        params:
          text: { type: string, default: hello }
        steps:
          - name: print
            run: [printf, '%s', "${params.text}"]
        """);
    TestService.declare(root, "unlock-vault", """
        mode: observe
        params:
          pin: { type: string, secret: true, required: true }
        steps:
          - name: read
            script: test -n "$PARAM_PIN"
        """);
    open = new OpenHome(root, Map.of("TOWER_HOST_ID", "here"), runs -> runs.engine(Member.Kind.SERVICE));
    home = open.home();
    engine = open.engine();
    Mailboxes mailboxes = home.mailboxes();
    Tasks tasks = home.tasks();
    operations = new Operations(new LockHandlers(home.locks(), home.freezes(), LockHandlers.Host.of(home),
        home.scheduler(), waits, engine.heartbeats()::lag).all())
        .and(new RunHandlers(RunHandlers.Source.of(engine, open.queue().runs()), home.scheduler(), home.time(), waits)
            .all())
        .and(new MailboxHandlers(() -> mailboxes, this::haltsInForce, waits).all())
        .and(new TaskHandlers(() -> tasks, engine::catalogue, this::haltsInForce).all());
  }

  /** A caller to whom every step is shown as its reason. */
  private record Offered() implements RefusedRequest {
    @Override
    public boolean permits(@Nullable Role needed) {
      return needed == null || Role.AGENT.covers(needed);
    }

    @Override
    public boolean permitsIntent(String intent) {
      return true;
    }

    @Override
    public NextAction again(List<Remedy.Change> changes, @Nullable String intent, String why) {
      return NextAction.advice("again: " + changes);
    }

    @Override
    public NextAction listing() {
      return NextAction.advice("listing");
    }
  }

  private HaltSource.InForce haltsInForce() {
    looks.incrementAndGet();
    return new HaltSource.InForce(halts, List.of());
  }

  private void halt(Halt.Scope scope) {
    halts = List.of(new Halt("stop", new RequestId("h1"), scope, Halt.Level.ADMIT, "op", null, "wrong release", null,
        home.time().now()));
  }

  private static Given run(String intent, String params) throws JsonException {
    return Given.NOTHING.with(RunOperations.INTENT, intent).with(RunOperations.PARAMS, JsonReader.readObject(params));
  }

  private void plan(Given given, AtomicInteger secrets) {
    operations.handle(RunOperations.PLAN, new Handler.Request(given, ANN,
        new Handler.Client(new Cancellation(), (_, _, _, _) -> {}, () -> true, secrets::incrementAndGet)));
  }

  private Answer acquire(String requestId, long waitSeconds) {
    return answer(LockOperations.ACQUIRE, lock(requestId).with(LockOperations.WAIT, waitSeconds), ANN);
  }

  private Answer renew(Caller caller) {
    return answer(LockOperations.RENEW, lock("r1"), caller);
  }

  private static Given lock(String requestId) {
    return Given.NOTHING.with(LockOperations.NAME, "prod").with(CommonArgs.REQUEST_ID, requestId);
  }

  private Answer answer(Operation operation, Given given, Caller caller) {
    return Answer.of(operations.handle(operation, new Handler.Request(given, caller, Handler.Client.unknown())),
        new LockEstimates(home.locks(), engine.runs(), home.time()), home.time().now());
  }

  private static Given task(String requestId) {
    return Given.NOTHING.with(TaskOperations.WORKER, "ann").with(TaskOperations.REQUEST_ID, requestId);
  }

  private static String text(Answer answer) {
    return switch (answer) {
      case Answer.Done done -> done.status() + " " + done.body().end();
      case Answer.Listing list -> list.member();
      case Problem problem -> problem.status() + " " + problem.members(ASKED).end();
    };
  }

  @Test
  @DisplayName("A repeated request id is one run, and the answer is the run when it has ended")
  void runsOnce() throws JsonException {
    Given call = run("say", "{\"text\":\"hi\"}").with(CommonArgs.REQUEST_ID, "r1");

    assertThat(text(answer(RunOperations.SUBMIT, call, ANN))).startsWith("200 ").contains("\"request_id\":\"r1\"",
        "\"status\":\"succeeded\"", "\"output_tail\":\"hi\"");
    assertThat(operations.handle(RunOperations.SUBMIT, new Handler.Request(call, ANN, Handler.Client.unknown())))
        .isInstanceOfSatisfying(RunCallOutcome.Submitted.class, again -> {
          assertThat(again.isReplay()).isTrue();
          assertThat(again.seen().run().status()).isEqualTo(RunStatus.SUCCEEDED);
        });
    assertThat(answer(RunOperations.LIST, Given.NOTHING, ANN)).isInstanceOfSatisfying(Answer.Listing.class, list -> {
      List<String> listed = new ArrayList<>();
      list.rows().read(row -> listed.add(row.row().end()));
      assertThat(listed).singleElement().asString().contains("\"request_id\":\"r1\"");
    });
  }

  @Test
  @DisplayName("A door learns of secret parameters before the call is refused, and of no others")
  void secrets() throws JsonException {
    AtomicInteger secrets = new AtomicInteger();
    plan(run("say", "{\"text\":\"hi\"}"), secrets);
    plan(run("unlock-vault", "{}"), secrets);
    assertThat(secrets).hasValue(0);

    plan(run("unlock-vault", "{\"pin\":\"1234\"}"), secrets);
    Given invalid = run("unlock-vault", "{\"pin\":\"1234\"}").with(CommonArgs.REQUEST_ID, "not an id");
    assertThatThrownBy(() -> plan(invalid, secrets)).hasMessageContaining("not an id");
    // The name is wrong, but the secret parameter of the intent that was meant is recognised.
    plan(run("unlock-vaul", "{\"pin\":\"1234\"}"), secrets);
    assertThat(secrets).hasValue(3);
  }

  private static Given mailbox() {
    return Given.NOTHING.with(MailboxOperations.MAILBOX, "jobs");
  }

  private String refusalOf(Operation operation, Given given) {
    try {
      return text(answer(operation, given, ANN));
    } catch (HaltedCall halted) {
      return text(CommonProblems.ofFailure(halted).orElseThrow());
    }
  }

  @Test
  @DisplayName("What a halt covers claims no task and sends and receives no message, and ends what it has begun")
  void halted() {
    Given send = mailbox().with(MailboxOperations.BODY, "\"hi\"");
    answer(TaskOperations.CREATE, task("c1").with(TaskOperations.NEW_ID, "t1").with(TaskOperations.TITLE, "T"), ANN);
    answer(TaskOperations.CREATE, task("c2").with(TaskOperations.NEW_ID, "t2").with(TaskOperations.TITLE, "T"), ANN);
    answer(TaskOperations.CLAIM, task("c3"), ANN);
    answer(MailboxOperations.SEND, send, ANN);
    halt(new Halt.Scope(List.of("an*"), List.of(), List.of(), false));

    List.of(refusalOf(TaskOperations.CLAIM, task("c4")), refusalOf(TaskOperations.RESUME, task("c5")),
        refusalOf(TaskOperations.START, task("c6").with(TaskOperations.ID, "t2")),
        refusalOf(MailboxOperations.SEND, send), refusalOf(MailboxOperations.RECEIVE, mailbox()),
        refusalOf(MailboxOperations.RECEIVE, mailbox().with(MailboxOperations.WAIT, 60L)))
        .forEach(refusal -> assertThat(refusal).startsWith("409 {\"error\":\"halted\",\"halt\":\"stop\"")
            .contains("\"halted_by\":\"op\",\"reason\":\"wrong release\""));
    assertThat(text(answer(TaskOperations.RENEW, task("c7").with(TaskOperations.ID, "t1"), ANN))).startsWith("200 ");
    assertThat(text(answer(TaskOperations.CLOSE, task("c8").with(TaskOperations.ID, "t1")
        .with(TaskOperations.OUTCOME, "done"), ANN))).startsWith("200 ");
    halts = List.of();
    assertThat(text(answer(TaskOperations.CLAIM, task("c4"), ANN))).startsWith("200 ").contains("\"t2\"");
    assertThat(text(answer(MailboxOperations.RECEIVE, mailbox(), ANN))).contains("\"hi\"");
  }

  @Test
  @DisplayName("A halt of intents or locks, or of other actors, covers no task and no message")
  void haltedElsewhere() {
    answer(TaskOperations.CREATE, task("c1").with(TaskOperations.NEW_ID, "t1").with(TaskOperations.TITLE, "T"), ANN);
    for (Halt.Scope scope : List.of(new Halt.Scope(List.of(), List.of("*"), List.of(), false),
        new Halt.Scope(List.of("ann"), List.of(), List.of("*"), false),
        new Halt.Scope(List.of("bob"), List.of(), List.of(), false))) {
      halt(scope);
      assertThat(text(answer(TaskOperations.RESUME, task("c" + scope.hashCode()), ANN))).startsWith("200 ");
      assertThat(text(answer(MailboxOperations.RECEIVE, mailbox(), ANN))).startsWith("200 ");
    }
  }

  @Test
  @DisplayName("A halt ends the wait of a receiver, and the message stays in the mailbox")
  void haltedReceiver() {
    CompletableFuture<String> refusal = CompletableFuture
        .supplyAsync(() -> refusalOf(MailboxOperations.RECEIVE, mailbox().with(MailboxOperations.WAIT, 60L)));
    Await.until("it waits", () -> looks.get() > 2);
    halt(Halt.Scope.ALL);

    Await.until("it is refused", refusal::isDone);
    assertThat(refusal.join())
        .startsWith("409 {\"error\":\"halted\"");
  }

  @Test
  @DisplayName("A refusal has the members of HTTP without its frame, and the actions of its own door")
  void refusal() {
    assertThat(text(acquire("r1", 0))).startsWith("201 ");

    Answer refused = acquire("r2", 0);
    assertThat(text(refused)).startsWith("409 {\"error\":\"lock_blocked\",").contains("\"held_by\":{",
        "\"next_actions\":[", "\"why\":\"again: [Waiting[seconds=").doesNotContain("about:blank", "\"detail\"");
    assertThat(refused).isInstanceOfSatisfying(Problem.class,
        problem -> assertThat(problem.headers()).containsOnlyKeys("Retry-After"));
    assertThat(text(renew(ANN))).startsWith("200 ");
    Caller bob = Caller.of("bob", Role.AGENT, List.of());
    assertThatThrownBy(() -> renew(bob))
        .hasMessageContaining("bob");
  }

  @Test
  @DisplayName("An exception of a call is the problem that HTTP answers; a bug is not")
  void failures() {
    assertThat(
        CommonProblems.ofFailure(new Forbidden(Forbidden.Reason.ROLE_TOO_LOW, "no", Role.OPERATOR))
            .map(CallsTest::text))
        .hasValueSatisfying(text -> assertThat(text).startsWith("403 {\"error\":\"forbidden\"")
            .contains("\"required_role\":\"operator\""));
    assertThatThrownBy(() -> new LeaseName("A b")).isInstanceOfSatisfying(InvalidValue.class,
        invalid -> assertThat(CommonProblems.ofFailure(invalid).map(Problem::status)).contains(400));
    assertThat(CommonProblems.ofFailure(CommonProblems.invalid("ids", "none", "give one")).map(CallsTest::text))
        .hasValueSatisfying(text -> assertThat(text).contains("\"member\":\"ids\""));
    assertThat(CommonProblems.ofFailure(new UncheckedIOException(new IOException("disk"))).map(Problem::status))
        .contains(503);
    assertThat(CommonProblems.ofFailure(new IllegalStateException())).isEmpty();
  }

  @Test
  @DisplayName("A stop ends every wait, including those that begin later")
  void stop() {
    acquire("r1", 0);
    CompletableFuture<String> waiting = CompletableFuture
        .supplyAsync(() -> text(acquire("r2", 600)));
    Await.until("r2 waits", () -> home.locks().waiters(new LeaseName("prod")) > 0);

    waits.endAll();

    assertThat(waiting).succeedsWithin(Await.LIMIT).asString().startsWith("503 ")
        .contains("\"error\":\"shutting_down\"");
    assertThat(text(acquire("r3", 600))).contains("\"error\":\"shutting_down\"");
  }

  @Test
  @DisplayName("Tasks and messages have their envelope, and their refusals their codes")
  void enveloped() {
    assertThat(TaskOperations.ALL).allMatch(Operation::isEnveloped);
    assertThat(text(answer(TaskOperations.CREATE, task("c1").with(TaskOperations.NEW_ID, "t1")
        .with(TaskOperations.TITLE, "Title"), ANN))).startsWith("201 {\"task\":{\"id\":\"t1\"");
    assertThat(text(answer(TaskOperations.CLAIM, task("c2"), ANN)))
        .startsWith("200 ").contains("\"claimed_by\":\"ann\"");
    assertThat(text(answer(TaskOperations.RENEW, task("c3").with(TaskOperations.ID, "t2"), ANN)))
        .startsWith("404 {\"error\":\"task_not_found\"");

    Given todo = Given.NOTHING.with(MailboxOperations.MAILBOX, "todo");
    assertThat(text(answer(MailboxOperations.SEND,
        todo.with(MailboxOperations.ID, "m1").with(MailboxOperations.BODY, "[1.0]"), ANN))).startsWith("201 ");
    assertThat(((Answer.Listing) answer(MailboxOperations.LIST, Given.NOTHING, ANN)).data().end())
        .startsWith("{\"mailboxes\":[{\"mailbox\":\"todo\"");
    String received = text(answer(MailboxOperations.RECEIVE, todo.with(MailboxOperations.WAIT, 1L), ANN));
    assertThat(received).contains("\"body\":[1.0]");
    Given ack = todo.with(MailboxOperations.RECEIPT,
        received.replaceFirst(".*\"receipt_handle\":\"([^\"]*)\".*", "$1"));
    assertThat(text(answer(MailboxOperations.ACK, ack, ANN))).startsWith("200 ");
    assertThat(text(answer(MailboxOperations.ACK, ack, ANN))).startsWith("409 ")
        .contains("\"error\":\"receipt_handle_expired\"");
  }
}

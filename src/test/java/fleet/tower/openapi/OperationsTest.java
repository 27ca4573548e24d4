package fleet.tower.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.TypedLine;
import fleet.tower.openapi.Document.Operation;
import fleet.tower.service.web.TestRunService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("Every call of the document is made, and answers as documented")
class OperationsTest {
  /** Statuses that no test can get from a working service. */
  private static final Set<String> NEVER = Set.of(
      // An internal error; none is known.
      "500");
  /** The same for error codes, each with the reason. */
  private static final Set<String> NEVER_CODES = Set.of(
      // An internal error; none is known.
      "internal_error",
      // Only during a stop of the service; RunTroubleTest covers it.
      "shutting_down",
      // Only if a file cannot be removed, which root always can; HolderProcessTest has an immutable directory.
      "lock_release_failed");

  static final int MAILBOX_SIZE = 30;

  private final Path homes;
  @AutoClose
  private final TestRunService bench;
  private final CallLog callLog = new CallLog();
  private final CheckedClient drive;

  OperationsTest(@TempDir Path homes) throws IOException {
    this.homes = homes;
    Path home = Files.createDirectories(homes.resolve("sound"));
    RunCalls.declare(home);
    EveryCall.declare(home);
    bench = new TestRunService(home, "--tower.runs.max-concurrent=2", "--tower.callers.max-share=100",
        "--tower.queue.workers=1", "--tower.mailboxes.max-messages=" + MAILBOX_SIZE);
    drive = new CheckedClient(bench.service, new Document(), callLog);
  }

  @TestFactory
  @Order(1)
  Stream<DynamicTest> calls() {
    LockCalls locks = new LockCalls(drive);
    RunCalls runs = new RunCalls(drive, bench);
    TaskCalls tasks = new TaskCalls(drive);
    MailboxCalls mailboxes = new MailboxCalls(drive);
    ServiceCalls service = new ServiceCalls(drive);
    EveryCall every = new EveryCall(drive);
    return Stream.of(subject("Locks, from acquisition to release", locks::life),
        subject("The lock of a run", locks::ofRun),
        subject("Stale and unreadable locks", locks::misread),
        subject("Waiting for locks", locks::waiting),
        subject("Freezes", locks::freezes),
        subject("Halts", locks::halts),
        subject("Intents and plans", runs::catalogue),
        subject("Runs", runs::runs),
        subject("Looks, and runs whose end nobody saw", runs::probes),
        subject("Output of runs", runs::output),
        subject("Rejected runs", runs::refused),
        subject("Runs of a plan that has changed", runs::changedPlans),
        subject("Runs that must be approved", runs::approvals),
        subject("Runs that were not approved", runs::notApproved),
        subject("Running and waiting runs", runs::atWork),
        subject("Tasks, from creation to close", tasks::life),
        subject("Events of tasks", tasks::events),
        subject("Rejected tasks", tasks::refused),
        subject("Claims that expire", tasks::swept),
        subject("Messages, from sending to acknowledgement", mailboxes::life),
        subject("Invalid receipts", mailboxes::oldReceipts),
        subject("Dead letters", mailboxes::deadLetters),
        subject("Waiting for messages", mailboxes::waiting),
        subject("The audit log", service::audit),
        subject("The overview", service::overview),
        subject("Messages of the Model Context Protocol", service::messages),
        subject("The service itself", service::itself),
        subject("Every call without a valid token", every::withoutToken),
        subject("Every call with too low a role", every::withLowerRole),
        subject("Every call with an invalid request", every::invalidCalls),
        subject("Every call with an unknown name lists exactly the known ones", every::withWhatItDoesNotKnow),
        subject("Every call with a token of another issuer", () -> every.ofAnotherIssuer(homes)),
        dynamicTest("Every command of a next action parses", this::commands));
  }

  @TestFactory
  @Order(2)
  @OneHost("the limits and the files are those of one host")
  Stream<DynamicTest> callsOfOneHost() {
    RunCalls runs = new RunCalls(drive, bench);
    ServiceCalls service = new ServiceCalls(drive);
    return Stream.of(subject("An unreadable freeze", new LockCalls(drive)::unreadableFreeze),
        subject("Runs that a foreign lock stops", runs::foreignLocks),
        subject("Output that a host has lost", runs::lostOutput),
        subject("More runs than the limit", runs::tooMany),
        subject("Rules of the policy", runs::policy),
        subject("Queued runs", runs::queued),
        subject("An approved run whose secrets are lost", () -> runs.lostSecrets(homes.resolve("lost"))),
        subject("The audit log from a place in a file", service::auditOfFiles),
        subject("A service on a full disk", () -> service.full(homes.resolve("full"))),
        subject("A service at its limit of waiting calls", () -> service.crowded(homes.resolve("crowded"))),
        subject("A service without its lock directory", () -> service.broken(homes.resolve("broken"))),
        subject("Every call after too many invalid tokens", new EveryCall(drive)::withTooManyBadTokens),
        dynamicTest("Every status of every call was answered, every code, every parameter given", this::complete));
  }

  private DynamicTest subject(String name, Executable calls) {
    return dynamicTest(name, () -> {
      calls.execute();
      assertThat(callLog.takeMistakes()).isEmpty();
    });
  }

  private void commands() {
    Map<String, String> mistakes = new TreeMap<>();
    drive.commands().forEach(command -> TypedLine.mistake(command)
        .ifPresent(mistake -> mistakes.put(command, mistake)));
    assertThat(drive.commands()).isNotEmpty();
    assertThat(mistakes).isEmpty();
  }

  private void complete() {
    Set<String> open = new TreeSet<>();
    Set<String> codes = new TreeSet<>();
    for (Operation operation : drive.document.operations().values()) {
      operation.statuses().stream().filter(status -> !NEVER.contains(status))
          .map(status -> operation.id() + " " + status).filter(answer -> !callLog.answers().contains(answer))
          .forEach(open::add);
      operation.parameters().keySet().stream().map(name -> operation.id() + " " + name)
          .filter(name -> !name.endsWith(" header X-Actor") && !name.endsWith(" header X-Door")
              && !callLog.parameters().contains(name))
          .forEach(open::add);
      codes.addAll(codesOf(operation));
    }
    codes.removeAll(NEVER_CODES);
    callLog.codes().forEach(code -> codes.remove(code.substring(code.lastIndexOf(' ') + 1)));
    assertThat(open).as("documented, and not called").isEmpty();
    assertThat(codes).as("error codes without a rejection").isEmpty();
  }

  private Set<String> codesOf(Operation operation) {
    Set<String> codes = new TreeSet<>();
    for (String status : operation.statuses()) {
      Document.Place response = operation.response(Integer.parseInt(status));
      if (response.node().path("content").has("application/problem+json")) {
        codes.addAll(drive.document
            .codes(response.at("content").at("application/problem+json").at("schema").pointer()));
      }
    }
    return codes;
  }

}

package fleet.tower.cli.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.cli.envelope.Exit;
import fleet.tower.cli.envelope.Reply;
import fleet.tower.cli.reply.RunJson;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.home.RunQueueHandle;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Labels;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.text.Console;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * {@code tower run}: runs an intent in this process. A signal cancels the run: the step is stopped, the run is rolled
 * back and the lock released. If this process is killed, a supervisor stops its steps, and its lock goes stale.
 */
public final class RunCommand {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
  private static final int LOOKS = 10;

  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final AtomicBoolean interrupted = new AtomicBoolean();

  public RunCommand(Home home, Console console, Interruptions interruptions) {
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
  }

  /** The command. */
  public Command run() {
    List<Option> options = new ArrayList<>(RunOptions.PARAMS);
    options.addAll(RunOptions.TERMS);
    options.add(
        Option.flag("queue", "queue the run for any executor of the home, and print its request id without waiting"));
    options.add(Option.flag("detach",
        "start the run in the service, or queue it for one, and print its request id without waiting"));
    return new Command("run", List.of("INTENT"), "run an intent here, under its lock, and show the output of its steps",
        options, this::run);
  }

  private Reply run(Arguments arguments) {
    RunRequest request = RunOptions.request(arguments, home.actor(arguments.value("actor"), Door.RUN));
    RunEngine engine = home.runs().engine(Member.Kind.COMMAND);
    try {
      List<String> secrets = RunOptions.secretsOnLine(arguments, engine.catalogue());
      secrets.forEach(name -> RunOptions.warnOfSecret(name, console));
      Reply reply = run(arguments, request, engine);
      return secrets.isEmpty() ? reply : reply.withoutRepeating();
    } finally {
      engine.close(Duration.ZERO);
    }
  }

  private Reply run(Arguments arguments, RunRequest request, RunEngine engine) {
    Optional<Intent> unlocked = engine.catalogue().find(request.intent()).filter(Intent::lacksLock);
    if (arguments.has(RunOptions.REQUIRE_LOCK.name()) && unlocked.isPresent()) {
      return RunOptions.noLock(request.intent(), unlocked.get().mode().toString());
    }
    if (arguments.has("queue") || arguments.has("detach")) {
      return enqueue(request, engine, arguments.has("detach"));
    }
    interruptions.on(() -> {
      interrupted.set(true);
      engine.runs().close(Duration.ZERO);
    });
    List<String> missing = engine.runs().missingLabels(request.intent());
    if (missing.isEmpty()) {
      return submit(arguments, request, engine, missing);
    }
    RunQueueHandle queue = home.runs().queue(engine);
    try {
      return submit(arguments, request, engine, missing);
    } finally {
      queue.close(Duration.ZERO);
    }
  }

  /** @param missing the labels that this host lacks, so that another one executes the run */
  private Reply submit(Arguments arguments, RunRequest request, RunEngine engine, List<String> missing) {
    return switch (engine.runs().submit(request)) {
      case SubmitOutcome.Accepted(RunHandle ticket, boolean replayed) -> {
        Narrator narrator = Narrator.on(console, home, arguments.has("json"));
        if (replayed) {
          narrator.note(RunEnding.repeated(ticket.run().requestId()));
        }
        if (!missing.isEmpty()) {
          narrator.note("this host does not have the " + Labels.describe(missing) + "; another host executes the run");
        }
        Run followed = new RunWatch(engine.logs(), narrator, interrupted::get).follow(ticket);
        if (!missing.isEmpty() && interrupted.get() && !followed.status().isFinished()) {
          engine.runs().cancel(followed.requestId());
        }
        Run run = ticket.run();
        yield new RunEnding(run, step -> engine.logs().tail(run, step),
            home.root().resolve("logs/runs").resolve(run.requestId().value()).toString(), replayed)
            .reply(console.isTerminal());
      }
      case SubmitOutcome.Rejected why -> Rejections.reply(why, request, engine.catalogue());
    };
  }

  private Reply enqueue(RunRequest request, RunEngine engine, boolean looksForExecutor) {
    RunQueueHandle queue = home.runs().queue(engine);
    try {
      return switch (queue.runs().enqueue(request)) {
        case SubmitOutcome.Accepted(RunHandle ticket, boolean replayed) -> {
          Reply reply = detached(ticket.run(), replayed);
          yield looksForExecutor && !isTaken(ticket, engine)
              ? reply.words("tower: no service has taken it yet; it starts when one of this home has room: tower serve")
              : reply;
        }
        case SubmitOutcome.Rejected why -> Rejections.reply(why, request, engine.catalogue());
      };
    } finally {
      queue.close(Duration.ZERO);
    }
  }

  /** Whether an executor takes a queued run within a moment. */
  private boolean isTaken(RunHandle ticket, RunEngine engine) {
    RequestId id = ticket.run().requestId();
    for (int look = 0; look < LOOKS; look++) {
      boolean isInQueue = engine.store().unfinished().stream()
          .anyMatch(run -> run.requestId().equals(id) && run.executor().equals(RunStore.QUEUE));
      if (!isInQueue) {
        return true;
      }
      home.scheduler().pause(BETWEEN_LOOKS);
    }
    return false;
  }

  /** The answer for a run that others execute; a repeated request may find it finished. */
  public static Reply detached(Run run, boolean replayed) {
    if (run.status().isFinished()) {
      return new RunEnding(run, _ -> "", "logs/runs/" + run.requestId(), replayed).reply(false);
    }
    return Reply.of(Exit.DONE, RunJson.run(run, _ -> "").put("replayed", replayed)).data(run.requestId().value())
        .words("tower: run " + run.requestId() + (run.isQueued() ? " is queued" : " is " + run.status())
            + "; follow it with: tower runs " + run.requestId() + " --follow, or wait for its end: tower wait "
            + run.requestId());
  }
}

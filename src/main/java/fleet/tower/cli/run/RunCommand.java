package fleet.tower.cli.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.cli.reply.RunJson;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Option;
import fleet.tower.cli.shell.Reply;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.home.RunQueueHandle;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.lease.Door;
import fleet.tower.platform.text.Console;
import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * {@code tower run}: runs an intent in this process. A signal cancels the run: the step is stopped, the run is rolled
 * back and the lock released. If this process is killed, a supervisor stops its steps, and its lock goes stale.
 */
public final class RunCommand {
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
    return new Command("run", List.of("INTENT"), "run an intent here, under its lock, and show the output of its steps",
        options, this::run);
  }

  private Reply run(Arguments arguments) {
    RunRequest request = RunOptions.request(arguments, home.actor(arguments.value("actor"), Door.RUN));
    RunEngine engine = home.engine(Member.Kind.COMMAND);
    try {
      warnOfSecrets(arguments, engine);
      Optional<Intent> unlocked = engine.catalogue().find(request.intent()).filter(Intent::lacksLock);
      if (arguments.has(RunOptions.REQUIRE_LOCK.name()) && unlocked.isPresent()) {
        return RunOptions.noLock(request.intent(), unlocked.get().mode().toString());
      }
      if (arguments.has("queue")) {
        return enqueue(request, engine);
      }
      interruptions.on(() -> {
        interrupted.set(true);
        engine.runs().close(Duration.ZERO);
      });
      return switch (engine.runs().submit(request)) {
        case SubmitOutcome.Accepted(RunHandle ticket, boolean replayed) -> {
          Narrator narrator = Narrator.on(console, home, arguments.has("json"));
          if (replayed) {
            narrator.note(RunEnding.repeated(ticket.run().requestId()));
          }
          Run run = new RunWatch(engine.processes(), narrator, interrupted::get).follow(ticket);
          yield new RunEnding(run, step -> engine.processes().tail(run.requestId(), step.logName()),
              home.root().resolve("logs/runs").resolve(run.requestId().value()).toString(), replayed)
              .reply(console.isTerminal());
        }
        case SubmitOutcome.Rejected why -> Rejections.reply(why, asked(request), engine.catalogue());
      };
    } finally {
      engine.close(Duration.ZERO);
    }
  }

  private Reply enqueue(RunRequest request, RunEngine engine) {
    RunQueueHandle queue = home.queue(engine);
    try {
      return switch (queue.runs().enqueue(request)) {
        case SubmitOutcome.Accepted(RunHandle ticket, boolean replayed) -> queued(ticket.run(), replayed);
        case SubmitOutcome.Rejected why -> Rejections.reply(why, asked(request), engine.catalogue());
      };
    } finally {
      queue.close(Duration.ZERO);
    }
  }

  /** The answer for a queued run; a repeated request may find it finished. */
  public static Reply queued(Run run, boolean replayed) {
    if (run.status().isFinished()) {
      return new RunEnding(run, _ -> "", "logs/runs/" + run.requestId(), replayed).reply(false);
    }
    return Reply.of(Exit.DONE, RunJson.run(run, _ -> "").put("replayed", replayed)).data(run.requestId().value())
        .words("tower: run " + run.requestId() + " is queued; follow it with: tower runs " + run.requestId());
  }

  private void warnOfSecrets(Arguments arguments, RunEngine engine) {
    RunOptions.fromLine(arguments).keySet().forEach(name -> engine.catalogue().find(arguments.operand(0))
        .flatMap(intent -> intent.param(name)).filter(Parameter::secret)
        .ifPresent(_ -> RunOptions.warnOfSecret(name, console)));
  }

  private static String asked(RunRequest request) {
    return "tower run " + request.intent() + (request.params().isEmpty() ? "" : " …");
  }
}

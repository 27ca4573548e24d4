package fleet.tower.cli.run;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunAnswers;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;

/**
 * Follows the runs of a home on this host.
 *
 * @param interruptions end the following of a run
 */
public record HomeRunFollower(Home home, Interruptions interruptions) implements RunFollower {

  @Override
  public RunEnding follow(RequestId id, Narrator narrator) {
    AtomicBoolean isInterrupted = new AtomicBoolean();
    interruptions.on(() -> isInterrupted.set(true));
    return watch(id, (engine, handle) -> {
      try (InterruptionWatch _ = new InterruptionWatch(isInterrupted::get, handle, home.scheduler())) {
        return new RunWatch(engine.logs(), narrator, isInterrupted::get).follow(handle);
      }
    });
  }

  @Override
  public RunEnding await(RequestId id, @Nullable Duration limit) {
    return watch(id, (_, handle) -> {
      AtomicBoolean isOver = new AtomicBoolean();
      Scheduler.Pending timer = limit == null ? () -> {} : home.scheduler().after(limit, () -> {
        isOver.set(true);
        handle.wake();
      });
      try {
        return await(handle, isOver::get);
      } finally {
        timer.cancel();
      }
    });
  }

  private static Run await(RunHandle handle, BooleanSupplier isOver) {
    for (;;) {
      long seen = handle.version();
      Run run = handle.run();
      if (run.status().isFinished() || isOver.getAsBoolean()) {
        return run;
      }
      handle.awaitChange(seen);
    }
  }

  private RunEnding watch(RequestId id, BiFunction<RunEngine, RunHandle, Run> watching) {
    RunEngine engine = home.runs().engine();
    try {
      RunHandle handle = engine.runs().find(id)
          .orElseThrow(() -> new RefusedCommand(ErrorCode.RUN_NOT_FOUND, Reply.of(RunAnswers.notFound(id))));
      Run run = watching.apply(engine, handle);
      return RunEnding.of(run, step -> engine.logs().tail(run, step), placeOfOutput(run), false);
    } finally {
      engine.close(Duration.ZERO);
    }
  }

  /** The files of this host, or the command that reads those of another one. */
  private String placeOfOutput(Run run) {
    String host = run.hostId();
    return host == null || host.equals(home.hostId())
        ? home.root().resolve("logs/runs").resolve(run.requestId().value()).toString()
        : CommandLine.of(RunOperations.VIEW, RunOperations.of(run.requestId())) + " --follow";
  }
}

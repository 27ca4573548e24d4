package fleet.tower.service.call.overview;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Locks;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;

/** The runs that have not finished. Of a run that another process executes, its record and its lock are shown. */
final class RunSource implements OverviewSource {
  private static final String RUNS = "runs";

  private final Runs runs;
  private final Locks locks;
  private final Function<LeaseName, Optional<Lease>> leases;

  /** @param leases the leases of locks as they were read last */
  RunSource(Runs runs, Locks locks, Function<LeaseName, Optional<Lease>> leases) {
    this.runs = runs;
    this.locks = locks;
    this.leases = leases;
  }

  @Override
  public List<String> sections() {
    return List.of(RUNS);
  }

  @Override
  public Rows read() {
    List<Runs.UnfinishedRun> unfinished = runs.unfinished();
    Map<LeaseName, Line> lines = lines(unfinished);
    Builder rows = Rows.of(sections());
    unfinished.forEach(it -> rows.put(RUNS, it.run().requestId().value(), row(it, lines)));
    return rows.build();
  }

  /**
   * The queue of a lock, with requests of all hosts.
   *
   * @param requests its requests, in order
   * @param runs those of them that are runs
   */
  private record Line(List<String> requests, Set<String> runs) {
    static final Line NONE = new Line(List.of(), Set.of());
  }

  /** The queues in which runs wait, as they are now: a run's own note of its place is up to ten seconds old. */
  private Map<LeaseName, Line> lines(List<Runs.UnfinishedRun> unfinished) {
    Map<LeaseName, Set<String>> waiting = new HashMap<>();
    for (Runs.UnfinishedRun it : unfinished) {
      LeaseName lock = it.run().header().lockName();
      if (lock != null && it.run().status() == RunStatus.WAITING) {
        waiting.computeIfAbsent(lock, _ -> new HashSet<>()).add(it.run().requestId().value());
      }
    }
    waiting.keySet().retainAll(waiting.isEmpty() ? Set.of() : locks.awaited());
    Map<LeaseName, Line> lines = new HashMap<>();
    waiting.forEach((lock, runs) -> lines.put(lock,
        new Line(locks.queue(lock).stream().map(it -> it.requestId().value()).toList(), runs)));
    return lines;
  }

  private JsonWriter row(Runs.UnfinishedRun it, Map<LeaseName, Line> lines) {
    Run run = it.run();
    JsonWriter row = head(run);
    if (run.isQueued()) {
      row.put("queued", true);
    }
    if (run.hostId() != null) {
      row.put("host_id", run.hostId());
    }
    row.put("created_at", run.header().createdAt());
    LeaseName lock = run.header().lockName();
    if (lock != null) {
      row.put("lock_name", lock.value());
    }
    if (run.status() == RunStatus.WAITING) {
      row.put("waiting", waiting(it, lines));
    } else {
      putStep(row, run.progress());
    }
    putHeartbeat(row, it);
    return row;
  }

  private static JsonWriter head(Run run) {
    Actor actor = run.actor();
    JsonWriter row = JsonWriter.line().put("request_id", run.requestId().value()).put("intent", run.intent())
        .put("actor", actor.name());
    if (actor.onBehalfOf() != null) {
      row.put("on_behalf_of", actor.onBehalfOf());
    }
    return row.put("status", run.status().toString());
  }

  /** The step that runs now: of the rollback if that has begun. */
  private static void putStep(JsonWriter row, Run.Progress progress) {
    boolean isRollback = !progress.rollback().isEmpty();
    List<StepRecord> steps = isRollback ? progress.rollback() : progress.steps();
    IntStream.range(0, steps.size()).filter(i -> steps.get(i).status() == StepRecord.Status.RUNNING).findFirst()
        .ifPresent(i -> {
          StepRecord step = steps.get(i);
          JsonWriter json = JsonWriter.line().put("name", step.name()).put("index", i + 1).put("count", steps.size());
          if (step.startedAt() != null) {
            json.put("started_at", step.startedAt());
          }
          row.put("step", isRollback ? json.put("rollback", true) : json);
        });
  }

  private JsonWriter waiting(Runs.UnfinishedRun it, Map<LeaseName, Line> lines) {
    JsonWriter json = JsonWriter.line();
    LeaseName lock = it.run().header().lockName();
    if (lock != null) {
      json.put("lock_name", lock.value());
      putPosition(json, it.run().requestId().value(), lines.getOrDefault(lock, Line.NONE));
      leases.apply(lock).filter(lease -> !lease.requestId().equals(it.run().requestId()))
          .ifPresent(lease -> json.put("held_by", heldBy(lease)));
    }
    foreignLock(it).ifPresent(name -> json.put("foreign_lock", name));
    return json;
  }

  private static Optional<String> foreignLock(Runs.UnfinishedRun it) {
    Run.ForeignWait recorded = it.run().foreignWait();
    if (recorded != null) {
      return Optional.of(recorded.refusal().name().toString());
    }
    return it.handle() != null
        && it.handle().waiting().orElse(null) instanceof RunHandle.WaitingForTool(var refusal, var _)
            ? Optional.of(refusal.name().toString())
            : Optional.empty();
  }

  /** The requests before it are named only if all of them are runs: others may be clients. */
  private static void putPosition(JsonWriter json, String run, Line line) {
    int before = line.requests().indexOf(run);
    if (before >= 0) {
      json.put("position", before + 1);
      List<String> ahead = line.requests().subList(0, before);
      if (line.runs().containsAll(ahead)) {
        json.list("ahead", OverviewState.quoted(ahead));
      }
    }
  }

  private static JsonWriter heldBy(Lease lease) {
    return JsonWriter.line().put("request_id", lease.requestId().value()).put("actor", lease.holder().actor())
        .put("intent", lease.holder().intent());
  }

  private void putHeartbeat(JsonWriter row, Runs.UnfinishedRun it) {
    LeaseName lock = it.run().header().lockName();
    RunHandle handle = it.handle();
    Optional<Instant> last = handle == null ? Optional.empty() : handle.lastHeartbeat();
    last.or(() -> lock == null
        ? Optional.empty()
        : leases.apply(lock).filter(lease -> lease.requestId().equals(it.run().requestId()))
            .map(Lease::lastHeartbeatAt))
        .ifPresent(at -> row.put("last_heartbeat_at", at));
    if (handle != null) {
      handle.heartbeatFailure().ifPresent(failure -> row.put("heartbeat_failures", JsonWriter.line()
          .put("consecutive", failure.consecutiveFailures()).put("last_error", failure.error())));
    }
  }
}

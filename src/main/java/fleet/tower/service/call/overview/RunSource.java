package fleet.tower.service.call.overview;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.UnfinishedRun;

/** The runs that have not finished. Of a run that another process executes, its record and its lock are shown. */
final class RunSource implements OverviewSource {
  private static final String RUNS = "runs";

  private final Runs runs;
  private final Function<LeaseName, Optional<Lease>> leases;

  /** @param leases the leases of locks as they were read last */
  RunSource(Runs runs, Function<LeaseName, Optional<Lease>> leases) {
    this.runs = runs;
    this.leases = leases;
  }

  @Override
  public List<String> sections() {
    return List.of(RUNS);
  }

  @Override
  public Rows read() {
    List<UnfinishedRun> unfinished = runs.unfinished();
    Map<LeaseName, Map<Integer, String>> lines = lines(unfinished);
    Builder rows = Rows.of(sections());
    unfinished.forEach(it -> rows.put(RUNS, it.run().requestId().value(), row(it, lines)));
    return rows.build();
  }

  /** The runs that wait in this process, by their lock and their position. */
  private static Map<LeaseName, Map<Integer, String>> lines(List<UnfinishedRun> unfinished) {
    Map<LeaseName, Map<Integer, String>> lines = new HashMap<>();
    for (UnfinishedRun it : unfinished) {
      OptionalInt position = position(it);
      LeaseName lock = it.run().header().lockName();
      if (lock != null && position.isPresent()) {
        lines.computeIfAbsent(lock, _ -> new HashMap<>()).put(position.getAsInt(), it.run().requestId().value());
      }
    }
    return lines;
  }

  private static OptionalInt position(UnfinishedRun it) {
    return it.handle() == null ? OptionalInt.empty() : it.handle().position();
  }

  private JsonWriter row(UnfinishedRun it, Map<LeaseName, Map<Integer, String>> lines) {
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

  private JsonWriter waiting(UnfinishedRun it, Map<LeaseName, Map<Integer, String>> lines) {
    JsonWriter json = JsonWriter.line();
    LeaseName lock = it.run().header().lockName();
    if (lock != null) {
      json.put("lock_name", lock.value());
      position(it).ifPresent(position -> putPosition(json, position, lines.getOrDefault(lock, Map.of())));
      leases.apply(lock).filter(lease -> !lease.requestId().equals(it.run().requestId()))
          .ifPresent(lease -> json.put("held_by", heldBy(lease)));
    }
    foreignLock(it).ifPresent(name -> json.put("foreign_lock", name));
    return json;
  }

  private static Optional<String> foreignLock(UnfinishedRun it) {
    Run.ForeignWait recorded = it.run().foreignWait();
    if (recorded != null) {
      return Optional.of(recorded.refusal().name().toString());
    }
    return it.handle() != null
        && it.handle().waiting().orElse(null) instanceof RunHandle.WaitingForTool(var refusal, var _)
            ? Optional.of(refusal.name().toString())
            : Optional.empty();
  }

  /** The runs before it are named only if all of them are known: others may be clients, or runs of other processes. */
  private static void putPosition(JsonWriter json, int position, Map<Integer, String> line) {
    json.put("position", position + 1);
    List<String> ahead = IntStream.range(0, position).mapToObj(line::get).filter(Objects::nonNull).toList();
    if (ahead.size() == position) {
      json.list("ahead", OverviewState.quoted(ahead));
    }
  }

  private static JsonWriter heldBy(Lease lease) {
    return JsonWriter.line().put("request_id", lease.requestId().value()).put("actor", lease.holder().actor())
        .put("intent", lease.holder().intent());
  }

  private void putHeartbeat(JsonWriter row, UnfinishedRun it) {
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

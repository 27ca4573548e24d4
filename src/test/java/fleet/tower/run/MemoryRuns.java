package fleet.tower.run;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.approval.StandingApprovals;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.policy.Quota;
import fleet.tower.policy.RefusalStore;

/** A run store in memory, which can be made to fail. */
public final class MemoryRuns implements RunStore {
  private final Map<RequestId, Kept> kept = new LinkedHashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final Set<RunRequests.Pending> requests = new LinkedHashSet<>();
  private final List<StandingApprovals.Standing> standing = new ArrayList<>();
  private @Nullable String failure;
  private @Nullable String syncFailure;
  private boolean isAnswerLost;
  private int looks;
  private volatile Runnable beforeBegin = () -> {};

  private record Kept(RequestKey claim, Run run, String executor, boolean isUnstarted) {
    Kept(RequestKey claim, Run run, String executor) {
      this(claim, run, executor, run.refusal() != null);
    }
  }

  /** From now on changes succeed again. */
  public synchronized void recover() {
    failure = null;
    syncFailure = null;
  }

  /** From now on every change fails. */
  public synchronized void fail(String message) {
    failure = message;
  }

  /** From now on changes succeed, but not the sync after them. */
  public synchronized void failSyncs(String message) {
    syncFailure = message;
  }

  private void sync() {
    String problem = syncFailure;
    try {
      SyncGroup.sync(() -> {
        if (problem != null) {
          throw new IOException(problem);
        }
      });
    } catch (IOException e) {
      throw new StorageException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The next run that is begun or taken is recorded, but the caller gets a failure. */
  public synchronized void loseAnswer() {
    isAnswerLost = true;
  }

  private <T> T answered(T answer) {
    if (isAnswerLost) {
      isAnswerLost = false;
      throw new StorageException("no answer");
    }
    return answer;
  }

  /** From now on an event happens before a run is recorded. */
  public void beforeBegin(Runnable event) {
    beforeBegin = event;
  }

  /** The changes that were requested, in order. */
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  /** The number of calls of {@link #look}. */
  public synchronized int looks() {
    return looks;
  }

  @Override
  public synchronized Prior look(RequestKey claim) {
    looks++;
    return prior(claim);
  }

  private Prior prior(RequestKey claim) {
    Prior prior = new New();
    for (Kept one : kept.values()) {
      if (isSameRequest(one, claim) && (!one.isUnstarted() || one.run().isRejected())) {
        return one.claim().digest().equals(claim.digest())
            ? new Same(one.run())
            : new Different(one.run().requestId());
      }
      if (isSameRequest(one, claim) && one.run().refusal() == null) {
        prior = new Unstarted(one.run());
      }
    }
    return prior;
  }

  private static boolean isSameRequest(Kept one, RequestKey claim) {
    return one.claim().requestId().equals(claim.requestId())
        || (claim.key() != null && claim.key().equals(one.claim().key()));
  }

  /** Quotas are a matter of the stores that have rows. */
  @Override
  public Optional<Quota.Exceeded> exceeded(Run run, List<Quota> quotas) {
    return Optional.empty();
  }

  @Override
  public Prior begin(RequestKey claim, Run run, String executor, List<Quota> quotas) {
    beforeBegin.run();
    return record(claim, run, executor);
  }

  private synchronized Prior record(RequestKey claim, Run run, String executor) {
    change("begin " + run.requestId());
    Prior prior = prior(claim);
    if (prior instanceof Same || prior instanceof Different) {
      return prior;
    }
    kept.values().removeIf(one -> isSameRequest(one, claim));
    requests.removeIf(it -> it.run().equals(run.requestId()));
    kept.put(run.requestId(), new Kept(claim, run, executor));
    sync();
    return answered(new New());
  }

  @Override
  public synchronized void save(Run run, boolean durable) {
    change("save " + run.status() + (durable ? " durably" : ""));
    kept.computeIfPresent(run.requestId(), (_, old) -> new Kept(old.claim(), run, old.executor()));
    if (durable) {
      sync();
    }
  }

  @Override
  public synchronized boolean start(Run running, String executor) {
    change("start " + running.requestId());
    return saveAs(running, executor);
  }

  @Override
  public synchronized boolean saveWait(Run waiting, String executor) {
    change("save wait " + waiting.requestId());
    return saveAs(waiting, executor);
  }

  private boolean saveAs(Run run, String executor) {
    Kept one = kept.get(run.requestId());
    if (one == null || one.run().status().isFinished() || !one.executor().equals(executor)) {
      return false;
    }
    kept.put(run.requestId(), new Kept(one.claim(), run, executor));
    return true;
  }

  @Override
  public synchronized void forget(RequestId requestId) {
    change("forget " + requestId);
    kept.remove(requestId);
  }

  @Override
  public synchronized Optional<Run> find(RequestId requestId) {
    return Optional.ofNullable(kept.get(requestId)).map(Kept::run);
  }

  @Override
  public synchronized void read(Query query, Predicate<Placed<Run>> reader) {
    List<Run> all = kept.values().stream().map(Kept::run).toList();
    Cursor after = query.after();
    List<Run> found = all.subList(0, after == null ? all.size() : (int) after.number(0)).stream()
        .filter(run -> query.intent() == null || run.intent().equals(query.intent()))
        .filter(run -> query.status() == null || run.status() == query.status())
        .filter(run -> query.actor() == null || run.actor().name().equals(query.actor()))
        .filter(run -> query.lock() == null || query.lock().equals(String.valueOf(run.header().lockName())))
        .filter(run -> query.since() == null || !run.header().createdAt().isBefore(query.since()))
        .filter(run -> query.idPrefix() == null || run.requestId().value().startsWith(query.idPrefix())).toList()
        .reversed().stream()
        .limit(query.limit()).toList();
    for (Run run : found) {
      if (!reader.test(new Placed<>(run, Cursor.of(all.indexOf(run))))) {
        return;
      }
    }
  }

  @Override
  public synchronized List<RequestId> finishedBefore(Instant moment, int limit) {
    return kept.values().stream().map(Kept::run).filter(run -> isFinishedBefore(run, moment)).map(Run::requestId)
        .limit(limit).toList();
  }

  @Override
  public synchronized List<RequestId> finishedBeyond(int most, int limit) {
    List<Run> all = kept.values().stream().map(Kept::run).toList();
    return all.subList(0, Math.max(0, all.size() - most)).stream().filter(run -> run.finishedAt() != null)
        .map(Run::requestId).limit(limit).toList();
  }

  @Override
  public synchronized boolean discard(RequestId requestId, Instant finishedBefore) {
    return kept.values().removeIf(
        one -> one.run().requestId().equals(requestId) && isFinishedBefore(one.run(), finishedBefore));
  }

  private static boolean isFinishedBefore(Run run, Instant moment) {
    Instant end = run.finishedAt();
    return end != null && end.isBefore(moment);
  }

  @Override
  public synchronized List<Unfinished> unfinished() {
    return kept.values().stream().filter(one -> !one.run().status().isFinished())
        .map(one -> new Unfinished(one.run().requestId(), one.executor())).toList();
  }

  @Override
  public synchronized Optional<Run> interrupt(RequestId requestId, String executor, Instant at,
      Instant stoppedAt) {
    Kept one = kept.get(requestId);
    if (one == null || one.run().status().isFinished() || !one.executor().equals(executor)) {
      return Optional.empty();
    }
    Run interrupted = one.run().finished(RunStatus.INTERRUPTED, at);
    kept.put(requestId, new Kept(one.claim(), interrupted, executor, one.run().isUnstarted()));
    return Optional.of(interrupted);
  }

  @Override
  public synchronized Optional<Run> take(RequestId requestId, String from, String to, @Nullable String host,
      List<Quota> quotas) {
    change("take " + requestId + " from " + from + " to " + to);
    Kept one = kept.get(requestId);
    if (one == null || one.run().status().isFinished() || !one.executor().equals(from)
        || (from.equals(to) ? !one.run().begun().isEmpty() : !one.run().isUnstarted())
        || (to.equals(QUEUE) && requests.contains(cancel(requestId)))) {
      return Optional.empty();
    }
    Run taken = host == null ? one.run().untouched() : one.run().untouched().onHost(host);
    kept.put(requestId, new Kept(one.claim(), taken, to));
    return answered(Optional.of(taken));
  }

  private static RunRequests.Pending cancel(RequestId run) {
    return new RunRequests.Pending(run, RunRequests.Kind.CANCEL);
  }

  @Override
  public synchronized Optional<Run> changeAwaiting(RequestId requestId, UnaryOperator<Run> change) {
    change("change " + requestId);
    Kept one = kept.get(requestId);
    if (one == null || one.run().status().isFinished() || !one.executor().equals(APPROVAL)) {
      return Optional.empty();
    }
    Run after = change.apply(one.run());
    kept.put(requestId, new Kept(one.claim(), after, after.status() == RunStatus.WAITING ? QUEUE : APPROVAL));
    return Optional.of(after);
  }

  @Override
  public synchronized List<Run> approvals(Approval.@Nullable State state, int limit) {
    return kept.values().stream().map(Kept::run).toList().reversed().stream()
        .filter(run -> run.approval() != null && (state == null || run.approval().state() == state)).limit(limit)
        .toList();
  }

  @Override
  public synchronized long openApprovals() {
    return approvals(Approval.State.OPEN, Integer.MAX_VALUE).size();
  }

  @Override
  public synchronized List<RequestId> unapproved(Instant moment, int limit) {
    return kept.values().stream().map(Kept::run).filter(run -> run.status() == RunStatus.AWAITING_APPROVAL
        && run.approval() != null && !run.approval().expiresAt().isAfter(moment)).map(Run::requestId).limit(limit)
        .toList();
  }

  @Override
  public RefusalStore refusals() {
    throw new UnsupportedOperationException();
  }

  @Override
  public StandingApprovals standingApprovals() {
    return new StandingApprovals() {
      @Override
      public void put(Standing approval) {
        synchronized (MemoryRuns.this) {
          standing.removeIf(it -> it.run().equals(approval.run()) && it.principal().equals(approval.principal()));
          standing.add(approval);
        }
      }

      @Override
      public List<Standing> of(String planHash, Instant now) {
        return inForce(now).stream().filter(it -> it.planHash().equals(planHash)).toList();
      }

      @Override
      public List<Standing> inForce(Instant now) {
        synchronized (MemoryRuns.this) {
          return standing.stream().filter(it -> isGood(it, now)).toList();
        }
      }

      @Override
      public boolean use(Standing approval, Instant now) {
        synchronized (MemoryRuns.this) {
          for (int i = 0; i < standing.size(); i++) {
            Standing it = standing.get(i);
            if (it.run().equals(approval.run()) && it.principal().equals(approval.principal()) && isGood(it, now)) {
              standing.set(i, new Standing(it.run(), it.planHash(), it.principal(), it.token(), it.until(),
                  it.remaining() - 1, it.seal()));
              return true;
            }
          }
          return false;
        }
      }

      @Override
      public boolean revoke(RequestId run) {
        synchronized (MemoryRuns.this) {
          return standing.removeIf(it -> it.run().equals(run));
        }
      }

      @Override
      public void discard(Instant now) {
        synchronized (MemoryRuns.this) {
          standing.removeIf(it -> !isGood(it, now));
        }
      }

      private static boolean isGood(Standing approval, Instant now) {
        return approval.remaining() > 0 && approval.until().isAfter(now);
      }
    };
  }

  @Override
  public RunRequests requests() {
    return new RunRequests() {
      @Override
      public boolean put(RequestId run, String executor, Kind kind, Actor by) {
        synchronized (MemoryRuns.this) {
          boolean isItsOwn = unfinished().contains(new Unfinished(run, executor));
          if (isItsOwn) {
            requests.add(new Pending(run, kind));
          }
          return isItsOwn;
        }
      }

      @Override
      public List<Pending> of(String executor) {
        synchronized (MemoryRuns.this) {
          return requests.stream().filter(it -> unfinished().contains(new Unfinished(it.run(), executor))).toList();
        }
      }

      @Override
      public void remove(Pending request) {
        synchronized (MemoryRuns.this) {
          requests.remove(request);
        }
      }
    };
  }

  @Override
  public RunChanges changes() {
    return RunChanges.NONE;
  }

  @Override
  public void close() {}

  private void change(String call) {
    if (failure != null) {
      throw new StorageException(failure);
    }
    calls.add(call);
  }
}

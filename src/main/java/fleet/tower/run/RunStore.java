package fleet.tower.run;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.approval.StandingApprovals;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.policy.Quota;
import fleet.tower.policy.RefusalStore;

/**
 * The store of runs. Every call is atomic with respect to every other call on the same store, from this process or
 * another, and may throw {@link fleet.tower.platform.StorageException}; then it is unknown whether anything changed.
 */
public interface RunStore extends AutoCloseable {
  /** The executor of a run that waits in the queue. */
  String QUEUE = "queue";
  /** The executor of a run that must be approved first. */
  String APPROVAL = "approval";

  /** Returns what is known about a request; writes nothing. */
  Prior look(RequestKey claim);

  /**
   * Records a run durably, before any of its steps. Once this has returned {@link New}, no crash can make the same
   * request run again. A run that never started does not count: the same request may be repeated, and replaces it. Such
   * a run was refused (see {@link Run#refusal}), but not by a person (see {@link Run#isRejected}), or was interrupted
   * while it waited (see {@link Run#isUnstarted}).
   *
   * <p>A run that has finished already, because it had nothing to do, need not be durable.
   */
  default Prior begin(RequestKey claim, Run run, String executor) {
    return begin(claim, run, executor, List.of());
  }

  /** The same, unless the run would exceed one of these quotas; what they count is counted in the same transaction. */
  Prior begin(RequestKey claim, Run run, String executor, List<Quota> quotas);

  /** The first of these quotas that a run would exceed now. */
  Optional<Quota.Exceeded> exceeded(Run run, List<Quota> quotas);

  /**
   * Records the progress of a run. If the write is not durable, a power failure may lose it, but not the death of a
   * process. A finished run stays finished: a later write of an unfinished state is ignored.
   *
   * @throws IllegalStateException if the run was never begun, or was forgotten
   */
  void save(Run run, boolean durable);

  /**
   * Records durably, before the first step of a run that may have waited, that its wait is over.
   *
   * @return false if {@code executor} does not have the run any more, because it was believed dead
   */
  boolean start(Run running, String executor);

  /**
   * Records what a run waits for, for other processes to read.
   *
   * @return false if {@code executor} does not have the run any more, because it was believed dead
   */
  boolean saveWait(Run waiting, String executor);

  /** Removes a run that was refused before its first step. */
  void forget(RequestId requestId);

  Optional<Run> find(RequestId requestId);

  /** Passes runs to a reader, the newest first, until it returns false. Only a few are in memory at once. */
  void read(Query query, Predicate<Placed<Run>> reader);

  default List<Run> list(Query query) {
    List<Run> runs = new ArrayList<>();
    read(query, run -> runs.add(run.row()));
    return runs;
  }

  /** Runs that finished before a moment, ordered by the time of their requests. */
  List<RequestId> finishedBefore(Instant moment, int limit);

  /** Finished runs beyond the newest {@code kept} runs, ordered by the time of their requests. */
  List<RequestId> finishedBeyond(int kept, int limit);

  /** Deletes a run with its request id and key, if it finished before that moment. */
  boolean discard(RequestId requestId, Instant finishedBefore);

  /** Runs that have not finished, with their executors. */
  List<Unfinished> unfinished();

  /**
   * Marks a run and its running step as interrupted, unless it has finished or has another executor. Steps that had not
   * begun are marked as skipped. If a step had begun, the run records that nothing was rolled back.
   *
   * @param stoppedAt when the running step ended, as far as it is known
   */
  Optional<Run> interrupt(RequestId requestId, String executor, Instant at, Instant stoppedAt);

  /** The same for a step that ended just now. */
  default Optional<Run> interrupt(RequestId requestId, String executor, Instant at) {
    return interrupt(requestId, executor, at, at);
  }

  /**
   * Gives an unfinished run to another executor, as it was before any executor took it. Empty if {@code from} does not
   * have it, if it has finished, or if one of its steps may have begun: a step is never repeated. The start of a step
   * is recorded only if the store answers at that moment, so a run that has left its wait stays with its executor.
   *
   * @param from its executor, or {@link #QUEUE}
   * @param to its new executor, or {@link #QUEUE}; a run with a request to cancel it does not return there
   * @param host the host of its new executor; null for none
   */
  default Optional<Run> take(RequestId requestId, String from, String to, @Nullable String host) {
    return take(requestId, from, to, host, List.of());
  }

  /**
   * The same, but also empty while one of these quotas has as many other runs at the same time as it allows. What waits
   * for an executor after its approval does not count.
   */
  Optional<Run> take(RequestId requestId, String from, String to, @Nullable String host, List<Quota> quotas);

  /** The same for an executor whose host is not recorded. */
  default Optional<Run> take(RequestId requestId, String from, String to) {
    return take(requestId, from, to, null);
  }

  /**
   * Changes a run that waits for its approval, unless something else has changed it meanwhile; then the change is made
   * to what that left. A run that waits for an executor after the change belongs to {@link #QUEUE}.
   *
   * @param change may be applied several times; returns its argument to change nothing
   * @return the run after the change; empty if no such run waits for its approval
   */
  Optional<Run> changeAwaiting(RequestId requestId, UnaryOperator<Run> change);

  /** The newest runs that need or needed an approval; null for any state. */
  List<Run> approvals(Approval.@Nullable State state, int limit);

  /** The number of runs that wait for their approval. */
  long openApprovals();

  /** The runs that wait for their approval, and whose time is over at a moment. */
  List<RequestId> unapproved(Instant moment, int limit);

  /** Approvals that are given for later runs, too. */
  StandingApprovals standingApprovals();

  /** The refused requests of actors. */
  RefusalStore refusals();

  /** The requests to the executors of unfinished runs. */
  RunRequests requests();

  /** The announcements of changes that other processes make. */
  RunChanges changes();

  @Override
  void close();

  /**
   * The identity of a request. Two requests of one actor are the same if their ids or their keys are equal; the id is
   * compared first.
   *
   * @param requestId the id that the caller chose, or a new one
   * @param actor the caller
   * @param key the caller's idempotency key, unique per actor; null for none
   * @param digest a digest of the whole request
   */
  record RequestKey(RequestId requestId, String actor, @Nullable String key, String digest) {}

  /** What is known about a request. */
  sealed interface Prior {}

  /** The request is new. */
  record New() implements Prior {}

  /** The same request came before, and its executor died while the run waited; it may have left the run's lock. */
  record Unstarted(Run run) implements Prior {}

  /** The same request came before; this is its run. */
  record Same(Run run) implements Prior {}

  /** The run would exceed a quota; it is not recorded. */
  record OverQuota(Quota.Exceeded why) implements Prior {}

  /** A different request came before with the same id or key. */
  record Different(RequestId requestId) implements Prior {}

  /**
   * A filter for runs; a null matches all.
   *
   * @param lock the name of the lock that a run takes
   * @param since the earliest time of a request
   * @param idPrefix the beginning of a request id
   * @param after the place after which reading begins
   */
  record Query(@Nullable String intent, @Nullable RunStatus status, @Nullable String actor, @Nullable String lock,
      @Nullable Instant since, @Nullable String idPrefix, int limit, @Nullable Cursor after) {

    /** A filter for the newest runs. */
    public Query(@Nullable String intent, @Nullable RunStatus status, @Nullable String actor, @Nullable String lock,
        @Nullable Instant since, @Nullable String idPrefix, int limit) {
      this(intent, status, actor, lock, since, idPrefix, limit, null);
    }

    /** A filter by intent and status. */
    public static Query of(@Nullable String intent, @Nullable RunStatus status, int limit) {
      return new Query(intent, status, null, null, null, null, limit);
    }

    /** A filter by the beginning of the request id. */
    public static Query ofPrefix(String idPrefix, int limit) {
      return new Query(null, null, null, null, null, idPrefix, limit);
    }

    /** A page of the list; {@link #limit} is the number of its rows. */
    public Page page(@Nullable String cursor) {
      return Page.of(Page.list("runs", intent, status, actor, lock, since, idPrefix), limit, cursor);
    }

    /** The query that reads a page. */
    public Query of(Page page) {
      return new Query(intent, status, actor, lock, since, idPrefix, page.toRead(), page.after());
    }
  }

  /** An unfinished run and its executor. */
  record Unfinished(RequestId requestId, String executor) {}
}

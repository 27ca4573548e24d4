package fleet.tower.run;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import fleet.tower.lease.RequestId;

/** A store whose witness sees how runs end, and which requests came before. */
public final class WitnessedRuns implements RunStore {
  private final RunStore store;
  private final Witness witness;

  public WitnessedRuns(RunStore store, Witness witness) {
    this.store = requireNonNull(store);
    this.witness = requireNonNull(witness);
  }

  /** Told of runs; it is quick and throws nothing. */
  public interface Witness {
    Witness NONE = new Witness() {};

    /** A run has ended, whether that could be recorded or not. */
    default void ended(Run run) {}

    /** The same request came before, and its run is the answer. */
    default void replayed(Run run) {}
  }

  @Override
  public Prior look(Claim claim) {
    return told(store.look(claim));
  }

  @Override
  public Prior begin(Claim claim, Run run, String executor) {
    return told(store.begin(claim, run, executor));
  }

  private Prior told(Prior prior) {
    if (prior instanceof Same(Run run)) {
      witness.replayed(run);
    }
    return prior;
  }

  @Override
  public void save(Run run, boolean durable) {
    try {
      store.save(run, durable);
    } finally {
      if (run.status().isFinished()) {
        witness.ended(run);
      }
    }
  }

  @Override
  public void forget(RequestId requestId) {
    store.forget(requestId);
  }

  @Override
  public Optional<Run> find(RequestId requestId) {
    return store.find(requestId);
  }

  @Override
  public List<Run> list(Query query) {
    return store.list(query);
  }

  @Override
  public List<RequestId> finishedBefore(Instant moment, int limit) {
    return store.finishedBefore(moment, limit);
  }

  @Override
  public boolean discard(RequestId requestId, Instant finishedBefore) {
    return store.discard(requestId, finishedBefore);
  }

  @Override
  public List<Unfinished> unfinished() {
    return store.unfinished();
  }

  @Override
  public Optional<Run> interrupt(RequestId requestId, String executor, Instant at) {
    Optional<Run> interrupted = store.interrupt(requestId, executor, at);
    interrupted.ifPresent(witness::ended);
    return interrupted;
  }

  @Override
  public Optional<Run> take(RequestId requestId, String from, String to) {
    return store.take(requestId, from, to);
  }

  @Override
  public void close() {
    store.close();
  }
}

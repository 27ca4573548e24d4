package fleet.tower.run;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import fleet.tower.lease.RequestId;

/** A store whose witness sees how runs end, and which requests came before. */
public final class ObservedRuns implements RunStore {
  private final RunStore store;
  private final Witness witness;

  public ObservedRuns(RunStore store, Witness witness) {
    this.store = requireNonNull(store);
    this.witness = requireNonNull(witness);
  }

  /** Told of runs; it is quick and throws nothing. */
  public interface Witness {
    Witness NONE = new Witness() {};

    /** A run that was not known before is this process' to perform or to queue, or was taken from the queue. */
    default void begun(Run run) {}

    /** A run has ended, whether that could be recorded or not. */
    default void ended(Run run) {}

    /** The same request came before, and its run is the answer. */
    default void replayed(Run run) {}

    /** This one, and then another. */
    default Witness and(Witness next) {
      Witness first = this;
      return new Witness() {
        @Override
        public void begun(Run run) {
          first.begun(run);
          next.begun(run);
        }

        @Override
        public void ended(Run run) {
          first.ended(run);
          next.ended(run);
        }

        @Override
        public void replayed(Run run) {
          first.replayed(run);
          next.replayed(run);
        }
      };
    }
  }

  @Override
  public Prior look(Claim claim) {
    return told(store.look(claim));
  }

  @Override
  public Prior begin(Claim claim, Run run, String executor) {
    Prior prior = told(store.begin(claim, run, executor));
    if (prior instanceof New) {
      witness.begun(run);
    }
    return prior;
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
  public void read(Query query, Predicate<Run> reader) {
    store.read(query, reader);
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
    Optional<Run> taken = store.take(requestId, from, to);
    taken.ifPresent(witness::begun);
    return taken;
  }

  @Override
  public void close() {
    store.close();
  }
}

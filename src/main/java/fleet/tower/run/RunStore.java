package fleet.tower.run;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;

/**
 * Where runs are kept. Every call is atomic against every other one on the same place, from this process and any other, and
 * may throw {@link fleet.tower.platform.StorageException}; then nothing is known to have changed.
 */
public interface RunStore extends AutoCloseable {
  /** Who has a run that stands in the queue: nobody yet. */
  String QUEUE = "queue";

  /** Looks whether a request is known already; writes nothing. */
  Prior look(Claim claim);

  /**
   * Records a run before anything of it begins, durably: when this has answered {@link New}, no crash makes the same request
   * run again. A run that was refused its lock (see {@link Run#refusal}) does not count: the same request may try anew, and
   * takes its place.
   */
  Prior begin(Claim claim, Run run, String executor);

  /**
   * Records how far a run has come. What is not durable may be lost in a power cut, not when a process dies. A run that has
   * finished is not opened again: what comes late and is unfinished is left out.
   *
   * @throws IllegalStateException for a run that was never begun, or was forgotten
   */
  void save(Run run, boolean durable);

  /** Makes as if a run had never been: it was refused before anything of it began. */
  void forget(RequestId requestId);

  Optional<Run> find(RequestId requestId);

  /** Hands over runs, the newest first, until it is answered false; few of them are in memory at once. */
  void read(Query query, Predicate<Run> reader);

  /** The same as a list. */
  default List<Run> list(Query query) {
    List<Run> runs = new ArrayList<>();
    read(query, runs::add);
    return runs;
  }

  /** Runs that finished before a moment, those that were asked for first first. */
  List<RequestId> finishedBefore(Instant moment, int limit);

  /** Forgets a run for good, with its request id and key, if it has finished before that moment. */
  boolean discard(RequestId requestId, Instant finishedBefore);

  /** Runs that have not finished, with who executes them. */
  List<Unfinished> unfinished();

  /**
   * Marks a run and what was running of it as interrupted, unless it has finished or somebody else executes it. What had
   * not begun is skipped; where something had, the run says that nothing was undone.
   */
  Optional<Run> interrupt(RequestId requestId, String executor, Instant at);

  /**
   * Gives a run that is not finished to another executor, as if nobody had touched it yet. Nothing where somebody else has it,
   * where it has finished, or where a step of it had begun: that is never repeated.
   *
   * @param from who has it, or {@link #QUEUE}
   * @param to who shall have it, or {@link #QUEUE}
   */
  Optional<Run> take(RequestId requestId, String from, String to);

  @Override
  void close();

  /**
   * What makes two requests the same one. Its id decides first, then its key; somebody else's request is another one.
   *
   * @param requestId the id that the caller gave, or a new one
   * @param actor who asks
   * @param key the caller's idempotency key, unique per actor; null without one
   * @param digest of everything that the caller asked for
   */
  record Claim(RequestId requestId, String actor, @Nullable String key, String digest) {
    public Claim {
      requireNonNull(requestId);
      requireNonNull(actor);
      requireNonNull(digest);
    }
  }

  /** What is known of a request. */
  sealed interface Prior {}

  /** Nothing: it is the first of its kind. */
  record New() implements Prior {}

  /** The very same request came before; this is its run. */
  record Same(Run run) implements Prior {}

  /** The same id or key came before, with something else to do. */
  record Different(RequestId requestId) implements Prior {}

  /** Which runs are wanted; nulls ask for all. */
  record Query(@Nullable String intent, @Nullable RunStatus status, int limit) {}

  /** A run and the process that was at it. */
  record Unfinished(RequestId requestId, String executor) {}
}

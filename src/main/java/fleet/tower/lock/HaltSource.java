package fleet.tower.lock;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;

/** Where the halts of a home are. */
public interface HaltSource {
  /** No halts. */
  HaltSource NONE = new HaltSource() {
    @Override
    public InForce inForce() {
      return InForce.NONE;
    }
  };

  /**
   * The halts in force now. Changes nothing. May throw {@link fleet.tower.platform.StorageException}; a process that
   * cannot read the halts begins nothing.
   */
  InForce inForce();

  /**
   * The sources that this one consists of. What stops work that has begun looks at each by itself, so that a store that
   * does not answer hides no halt of another.
   */
  default List<HaltSource> parts() {
    return List.of(this);
  }

  /** The halts of this source and another. */
  default HaltSource and(HaltSource other) {
    List<HaltSource> all = Stream.of(this, other).flatMap(source -> source.parts().stream()).toList();
    return new HaltSource() {
      @Override
      public InForce inForce() {
        return all.stream().map(HaltSource::inForce).reduce(InForce.NONE, InForce::and);
      }

      @Override
      public List<HaltSource> parts() {
        return all;
      }
    };
  }

  /**
   * A halt that cannot be read. An operator may have meant it for anything, so it covers everything, at the level
   * {@link Halt.Level#ADMIT}.
   */
  record Unreadable(String name, String path, String problem, Instant since) {
    /** The refusal of everything. */
    public Decision.Halted refusal() {
      return new Decision.Halted(name, null, path + " cannot be read: " + problem, since, null);
    }
  }

  /** The halts in force at one moment. */
  record InForce(List<Halt> halts, List<Unreadable> unreadable) {
    public static final InForce NONE = new InForce(List.of(), List.of());

    public InForce {
      halts = List.copyOf(halts);
      unreadable = List.copyOf(unreadable);
    }

    public boolean isEmpty() {
      return halts.isEmpty() && unreadable.isEmpty();
    }

    /** These halts and others. */
    public InForce and(InForce other) {
      List<Halt> all = new ArrayList<>(halts);
      all.addAll(other.halts);
      List<Unreadable> both = new ArrayList<>(unreadable);
      both.addAll(other.unreadable);
      return new InForce(all, both);
    }

    /** The refusal of what is about to begin; null if no halt covers it. */
    public Decision.@Nullable Halted refusal(Halt.Subject subject) {
      return strictest(subject).map(Halt::refusal)
          .orElseGet(() -> unreadable.stream().findFirst().map(Unreadable::refusal).orElse(null));
    }

    /** The refusal of a request for a lock; null if no halt covers it. */
    public Decision.@Nullable Halted refusal(AcquireRequest request) {
      return isEmpty() ? null : refusal(request.subject());
    }

    /** The halt of the highest level that covers something; of several, the oldest. */
    public Optional<Halt> strictest(Halt.Subject subject) {
      return halts.stream().filter(halt -> halt.covers(subject))
          .min(Comparator.comparing(Halt::level).reversed().thenComparing(Halt::createdAt).thenComparing(Halt::name));
    }
  }
}

package fleet.tower.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.text.Wildcards;
import fleet.tower.platform.time.Timestamps;

/**
 * An order of an operator that nothing begins which it covers. It needs no renewal; without a ttl it stays in force
 * until it is lifted.
 *
 * @param requestId identifies the call that placed it, for the audit log
 * @param actor who placed it
 * @param onBehalfOf on whose behalf the actor claims to act
 * @param reason what refused callers are told
 * @param ttl how long it stays in force; null for until it is lifted
 */
public record Halt(String name, RequestId requestId, Scope scope, Level level, String actor,
    @Nullable String onBehalfOf, String reason, @Nullable Duration ttl, Instant createdAt) {

  /** What a halt stops; each level includes those before it. */
  public enum Level {
    /** Nothing new begins. */
    ADMIT,
    /** Also no further step of a run begins: it is cancelled and rolls back. */
    DRAIN,
    /** Also the processes of runs and guards are stopped now. */
    KILL;

    /** The level of a name. */
    public static Level of(String name) {
      return find(name).orElseThrow(() -> new InvalidValue(InvalidValue.Kind.REQUEST,
          "level must be admit, drain or kill, not " + InvalidValue.shown(name)));
    }

    /** The level of a name, in capital letters or not; empty if there is none. */
    public static Optional<Level> find(String name) {
      return Arrays.stream(values()).filter(level -> level.name().equalsIgnoreCase(name)).findFirst();
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What a halt covers. Each list that is not empty must match; patterns have {@code *} for any characters.
   *
   * @param all whether it covers everything; then the lists are empty
   */
  public record Scope(List<String> actors, List<String> intents, List<String> locks, boolean all) {
    /** Everything. */
    public static final Scope ALL = new Scope(List.of(), List.of(), List.of(), true);
    private static final int MAX_PATTERNS = 100;
    private static final int MAX_LENGTH = 512;

    public Scope {
      actors = List.copyOf(actors);
      intents = List.copyOf(intents);
      locks = List.copyOf(locks);
      boolean isListed = !actors.isEmpty() || !intents.isEmpty() || !locks.isEmpty();
      if (all == isListed) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, all
            ? "a halt of everything has no actors, intents or locks"
            : "a halt names actors, intents or locks, or everything");
      }
      check("actor", actors);
      check("intent", intents);
      check("lock", locks);
    }

    private static void check(String what, List<String> patterns) {
      if (patterns.size() > MAX_PATTERNS) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST,
            "a halt has at most " + MAX_PATTERNS + " patterns of " + what + "s, not " + patterns.size());
      }
      for (String pattern : patterns) {
        if (pattern.isBlank() || pattern.length() > MAX_LENGTH || !VisibleText.isPlain(pattern)) {
          throw new InvalidValue(InvalidValue.Kind.REQUEST, what + " pattern " + InvalidValue.shown(pattern)
              + " must have 1 to " + MAX_LENGTH + " printable characters; * stands for any characters");
        }
      }
    }

    /** What matches each list that is not empty; everything if all are. */
    public static Scope of(List<String> actors, List<String> intents, List<String> locks) {
      return new Scope(actors, intents, locks, actors.isEmpty() && intents.isEmpty() && locks.isEmpty());
    }

    /** The same, whoever the actor is. */
    public Scope ofAnyActor() {
      return of(List.of(), intents, locks);
    }

    /** Whether it covers something. */
    public boolean covers(Subject subject) {
      return all || (matches(actors, subject.actors()) && matches(intents, subject.intent())
          && matches(locks, subject.lock()));
    }

    private static boolean matches(List<String> patterns, @Nullable String name) {
      return matches(patterns, name == null ? Set.of() : Set.of(name));
    }

    private static boolean matches(List<String> patterns, Set<String> names) {
      return patterns.isEmpty() || patterns.stream()
          .anyMatch(pattern -> names.stream().anyMatch(name -> Wildcards.matches(pattern, name)));
    }
  }

  /**
   * What is about to begin, or goes on.
   *
   * @param actors who does it, and for whom
   * @param intent the intent that it runs, or null
   * @param lock the lock that it takes, or null
   */
  public record Subject(Set<String> actors, @Nullable String intent, @Nullable String lock) {
    public Subject {
      actors = Set.copyOf(actors);
    }

    /** What an actor does, for itself or for another. */
    public static Subject of(Actor actor, @Nullable String intent, @Nullable LeaseName lock) {
      Set<String> actors = actor.onBehalfOf() == null
          ? Set.of(actor.name())
          : Set.copyOf(List.of(actor.name(), actor.onBehalfOf()));
      return new Subject(actors, intent, lock == null ? null : lock.value());
    }

    /** The same, done by one more actor. */
    public Subject and(String actor) {
      Set<String> all = new HashSet<>(actors);
      all.add(actor);
      return new Subject(all, intent, lock);
    }
  }

  /** Whether it stops what is about to begin. */
  public boolean covers(Subject subject) {
    return scope.covers(subject);
  }

  /** The last moment at which it is certainly in force; null if it stays until it is lifted. */
  public @Nullable Instant expiresAt() {
    return ttl == null ? null : createdAt.plus(ttl);
  }

  /** Strict, on whole seconds, like a freeze: never early, and at most a second late. */
  public boolean isOverAt(Instant now) {
    Instant end = expiresAt();
    return end != null && Timestamps.wholeSecond(now).isAfter(end);
  }

  /** The refusal of what it covers. */
  public Decision.Halted refusal() {
    return new Decision.Halted(name, actor, reason, createdAt, expiresAt());
  }
}

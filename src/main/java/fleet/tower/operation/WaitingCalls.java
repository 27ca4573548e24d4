package fleet.tower.operation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Cancellation;

/**
 * Limits the calls that wait or stream at the same time, so that connections remain for the others, and ends them: all
 * of them when the service stops, one wait for a lock or message when its client withdraws it, and all of a caller
 * whose token is revoked or has expired.
 */
public final class WaitingCalls {
  private final Map<Waiting, List<Cancellation>> waits = new HashMap<>();
  private final Set<Cancellation> uncounted = new HashSet<>();
  private final Set<Revocation> revocations = ConcurrentHashMap.newKeySet();
  private final Places places;
  private volatile @Nullable FleetWaits others;
  private boolean closing;

  /** @param places the places of the calls that wait at the same time */
  public WaitingCalls(Places places) {
    this.places = places;
  }

  /** A wait: the path of the lock or mailbox, and the waiting request. */
  private record Waiting(String place, RequestId by, String caller) {}

  /** Ends all waits, and those that begin later, because the service stops. */
  public void endAll() {
    List<Cancellation> all = new ArrayList<>();
    synchronized (waits) {
      closing = true;
      waits.values().forEach(all::addAll);
      all.addAll(uncounted);
    }
    all.forEach(Cancellation::cancel);
  }

  /** Whether the service is stopping. */
  public boolean isClosing() {
    synchronized (waits) {
      return closing;
    }
  }

  /** The action if a caller's token is revoked or expires; repeated at each check until the call closes it. */
  public final class Revocation implements AutoCloseable {
    private final Caller caller;
    private final Runnable work;

    private Revocation(Caller caller, Runnable work) {
      this.caller = caller;
      this.work = work;
    }

    @Override
    public void close() {
      revocations.remove(this);
    }
  }

  /** Registers an action for the revocation or expiry of the caller's token; it runs within about a second. */
  public Revocation whenRevoked(Caller caller, Runnable work) {
    Revocation revocation = new Revocation(caller, work);
    revocations.add(revocation);
    return revocation;
  }

  /** Ends the waits and streams of callers whose tokens are no longer valid. */
  public void endRevoked() {
    revocations.stream().filter(it -> !it.caller.credential().isValid()).forEach(it -> it.work.run());
  }

  /**
   * Runs a wait that can be ended. Refuses it if too many calls already wait.
   *
   * @param client ends the wait, too: its client is gone
   * @param undo releases what the wait obtained for a client that is gone, unless another call of the same request
   *     still waits for it, or for a caller whose token is no longer valid, and returns what is left of the result;
   *     the call of such a caller is then refused
   */
  public <T> T during(String place, RequestId by, Caller caller, Cancellation client, Function<Cancellation, T> wait,
      UnaryOperator<T> undo) {
    Waiting waiting = new Waiting(place, by, caller.name());
    T result = during(waiting, caller, client, wait);
    if (!caller.credential().isValid()) {
      T _ = undo.apply(result);
      throw new TokenRevoked();
    }
    return client.isCancelled() && !isWaiting(waiting) ? undo.apply(result) : result;
  }

  private boolean isWaiting(Waiting waiting) {
    synchronized (waits) {
      return waits.containsKey(waiting);
    }
  }

  private <T> T during(Waiting waiting, Caller caller, Cancellation client, Function<Cancellation, T> wait) {
    Cancellation cancellation = new Cancellation();
    Places.Place place = enter(caller);
    synchronized (waits) {
      waits.computeIfAbsent(waiting, _ -> new ArrayList<>()).add(cancellation);
      if (closing) {
        cancellation.cancel();
      }
    }
    try (place; var _ = whenRevoked(caller, cancellation::cancel); var _ = client.on(cancellation::cancel)) {
      return wait.apply(cancellation);
    } finally {
      synchronized (waits) {
        waits.computeIfPresent(waiting, (_, others) -> {
          others.remove(cancellation);
          return others.isEmpty() ? null : others;
        });
      }
    }
  }

  /** Takes a place for a call that waits for something else, or streams. Refuses it if there is none for its caller. */
  public Places.Place enter(Caller caller) {
    return switch (places.take(Places.Holder.of(caller))) {
      case Places.Place place -> place;
      case Places.NoPlace none -> throw new TooManyCalls(none);
    };
  }

  /** The end of a call's registration. */
  public interface Ending extends AutoCloseable {
    @Override
    void close();
  }

  /** Ends a call that takes no place itself: when the service stops, and when its caller's token is revoked. */
  public Ending ending(Caller caller, Cancellation cancellation) {
    boolean already;
    synchronized (waits) {
      uncounted.add(cancellation);
      already = closing;
    }
    if (already) {
      cancellation.cancel();
    }
    Revocation revocation = whenRevoked(caller, cancellation::cancel);
    return () -> {
      revocation.close();
      synchronized (waits) {
        uncounted.remove(cancellation);
      }
    };
  }

  /** The places of the calls that wait or stream now. */
  public Places places() {
    return places;
  }

  /** Connects the waiting calls of the other services of the fleet. */
  public void join(FleetWaits fleet) {
    others = fleet;
  }

  /**
   * Ends the wait of a request of this caller, or of any caller for an operator, at any service of the fleet; false if
   * there is none.
   */
  public boolean withdraw(String place, RequestId by, Caller caller) {
    FleetWaits fleet = others;
    return withdrawHere(place, by, caller.name(), caller.role().covers(Role.OPERATOR))
        || (fleet != null && fleet.withdraw(place, by, caller));
  }

  boolean withdrawHere(String place, RequestId by, String caller, boolean isOperator) {
    List<Cancellation> withdrawn = new ArrayList<>();
    synchronized (waits) {
      waits.forEach((waiting, cancellations) -> {
        if (waiting.place().equals(place) && waiting.by().equals(by)
            && (isOperator || waiting.caller().equals(caller))) {
          withdrawn.addAll(cancellations);
        }
      });
    }
    withdrawn.forEach(Cancellation::cancel);
    return !withdrawn.isEmpty();
  }
}

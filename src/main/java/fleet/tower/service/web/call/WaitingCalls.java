package fleet.tower.service.web.call;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.service.web.http.Problem;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Rejected;

/**
 * Bounds how many calls may wait or listen at the same time, so that connections are left for those who do not, and ends what
 * clients wait for or listen to: all of it when the service is about to stop, one request for a lock or a message when its client
 * does not want it any more, and all of a caller's whose token is revoked or has expired.
 */
public final class WaitingCalls implements ApplicationListener<ContextClosedEvent> {
  private static final String SECONDS_UNTIL_ROOM = "5";

  private final Map<Waiting, List<Cancellation>> waits = new HashMap<>();
  private final Set<Revocation> revocations = ConcurrentHashMap.newKeySet();
  private final int limit;
  private int count;
  private boolean closing;

  /** @param limit so many calls may wait at the same time */
  WaitingCalls(int limit) {
    this.limit = limit;
  }

  /** What is waited for, by its path, and whose request does. */
  private record Waiting(String place, RequestId by, String caller) {}

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    List<Cancellation> all = new ArrayList<>();
    synchronized (waits) {
      closing = true;
      waits.values().forEach(all::addAll);
    }
    all.forEach(Cancellation::cancel);
  }

  /** Whether the service is about to stop. */
  public boolean isClosing() {
    synchronized (waits) {
      return closing;
    }
  }

  /** What is done for a caller's call when its token is revoked or expires; at each look, until the call closes this. */
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

  /** Does this when the caller's token is revoked or expires, about a second later at most. */
  public Revocation whenRevoked(Caller caller, Runnable work) {
    Revocation revocation = new Revocation(caller, work);
    revocations.add(revocation);
    return revocation;
  }

  /** Ends what callers wait for or listen to whose tokens are not good any more. */
  void endRevoked() {
    revocations.stream().filter(it -> !it.caller.credential().isValid()).forEach(it -> it.work.run());
  }

  /** The refusal of a caller whose token was revoked, or expired, while the call waited. */
  public static Rejected revoked() {
    return new Rejected(Problems.unauthorized("your token was revoked or has expired while the call waited"));
  }

  /**
   * Has a request wait at a place in such a way that it can be ended. Refuses it where too many wait already.
   *
   * @param undo gives back what the wait gave to a caller whose token is not good any more; the call is refused then
   */
  public <T> T during(String place, RequestId by, Caller caller, Function<Cancellation, T> wait, Consumer<T> undo) {
    T result = during(place, by, caller, wait);
    if (!caller.credential().isValid()) {
      undo.accept(result);
      throw revoked();
    }
    return result;
  }

  private <T> T during(String place, RequestId by, Caller caller, Function<Cancellation, T> wait) {
    Waiting waiting = new Waiting(place, by, caller.name());
    Cancellation cancellation = new Cancellation();
    synchronized (waits) {
      begin();
      waits.computeIfAbsent(waiting, _ -> new ArrayList<>()).add(cancellation);
      if (closing) {
        cancellation.cancel();
      }
    }
    try (var _ = whenRevoked(caller, cancellation::cancel)) {
      return wait.apply(cancellation);
    } finally {
      synchronized (waits) {
        count--;
        waits.computeIfPresent(waiting, (_, others) -> {
          others.remove(cancellation);
          return others.isEmpty() ? null : others;
        });
      }
    }
  }

  /** A place among the calls that wait, until it is closed. */
  public interface Place extends AutoCloseable {
    @Override
    void close();
  }

  /** Counts a call that waits for something else, or listens. Refuses it where too many do already. */
  public Place enter() {
    synchronized (waits) {
      begin();
    }
    return () -> {
      synchronized (waits) {
        count--;
      }
    };
  }

  private void begin() {
    if (count >= limit) {
      throw new Rejected(tooMany());
    }
    count++;
  }

  private Problem tooMany() {
    return Problem.of(ErrorCode.TOO_MANY_WAITING_CALLS,
        limit + " calls wait or listen here, and no more may",
        JsonWriter.line().put("limit", limit).put("suggestion",
            "ask again in a moment, or without waiting; tower.calls.max-waiting says how many may"))
        .header("Retry-After", SECONDS_UNTIL_ROOM);
  }

  /** Ends the wait of a request, at an operator's word whoever made it; false where no such request of the caller's waits. */
  public boolean withdraw(String place, RequestId by, Caller caller) {
    List<Cancellation> withdrawn = new ArrayList<>();
    synchronized (waits) {
      waits.forEach((waiting, cancellations) -> {
        if (waiting.place().equals(place) && waiting.by().equals(by)
            && (waiting.caller().equals(caller.name()) || caller.role().covers(Role.OPERATOR))) {
          withdrawn.addAll(cancellations);
        }
      });
    }
    withdrawn.forEach(Cancellation::cancel);
    return !withdrawn.isEmpty();
  }
}

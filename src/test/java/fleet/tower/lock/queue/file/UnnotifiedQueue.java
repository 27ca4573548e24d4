package fleet.tower.lock.queue.file;

import java.util.List;
import java.util.Set;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.time.WakeUp;

/** A queue without wake-ups; its places know this, or claim to be notified. */
record UnnotifiedQueue(WaitQueue real, boolean isNotified) implements WaitQueue {
  @Override
  public JoinOutcome join(LeaseName name, WaitingRequest who, WakeUp bell) {
    return switch (real.join(name, who, new WakeUp())) {
      case JoinOutcome.Joined(WaitQueue.Place place) -> new JoinOutcome.Joined(new UnnotifiedPlace(place, isNotified));
      case JoinOutcome.Full full -> full;
    };
  }

  @Override
  public int length(LeaseName name) {
    return real.length(name);
  }

  @Override
  public Set<LeaseName> names() {
    return real.names();
  }

  @Override
  public List<WaitingRequest> list(LeaseName name) {
    return real.list(name);
  }

  private record UnnotifiedPlace(WaitQueue.Place real, boolean isNotified) implements WaitQueue.Place {
    @Override
    public Standing standing(boolean anew) {
      return real.standing(anew);
    }

    @Override
    public int position() {
      return real.position();
    }

    @Override
    public void close() {
      real.close();
    }
  }
}

package fleet.tower.lock.queue.file;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.QueuePlace;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.wait.WakeUp;

/** A line whose bells nobody hears; its places know of it, or believe to be told of changes. */
record DeafLine(WaitQueue real, boolean isToldOfChanges) implements WaitQueue {
  @Override
  public Joined join(LeaseName name, RequestId who, WakeUp bell) {
    return switch (real.join(name, who, new WakeUp())) {
      case Joined.At(QueuePlace place) -> new Joined.At(new DeafPlace(place, isToldOfChanges));
      case Joined.Full full -> full;
    };
  }

  @Override
  public int length(LeaseName name) {
    return real.length(name);
  }

  private record DeafPlace(QueuePlace real, boolean isToldOfChanges) implements QueuePlace {
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

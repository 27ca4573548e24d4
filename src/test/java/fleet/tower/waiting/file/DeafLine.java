package fleet.tower.waiting.file;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.waiting.Bell;
import fleet.tower.waiting.Line;
import fleet.tower.waiting.Place;

/** A line whose bells nobody hears; its places know of it, or believe to be told of changes. */
record DeafLine(Line real, boolean isToldOfChanges) implements Line {
  @Override
  public Joined join(LeaseName name, RequestId who, Bell bell) {
    return switch (real.join(name, who, new Bell())) {
      case Joined.At(Place place) -> new Joined.At(new DeafPlace(place, isToldOfChanges));
      case Joined.Full full -> full;
    };
  }

  @Override
  public int length(LeaseName name) {
    return real.length(name);
  }

  private record DeafPlace(Place real, boolean isToldOfChanges) implements Place {
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

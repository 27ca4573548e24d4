package fleet.tower.lock.egg;

import fleet.tower.lock.chicken.Chicken;

public interface Egg {
  Chicken hatch();
}

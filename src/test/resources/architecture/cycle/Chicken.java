package fleet.tower.lock.chicken;

import fleet.tower.lock.egg.Egg;

public interface Chicken {
  Egg lay();
}

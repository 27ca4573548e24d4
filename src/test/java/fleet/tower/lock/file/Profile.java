package fleet.tower.lock.file;

/**
 * The kind of a schedule: the number of names, the length of a lease, and per mille how often the process is switched,
 * a call fails, and an external event happens. Few kinds of events at a time go deeper than all at once.
 *
 * @param operations the total number of store calls
 *
 * @param freezes how many of them, per mille, freeze a name or lift a freeze
 *
 * @param strangers how often, per mille, a client uses another's request id, or may not keep its lock
 */
record Profile(int names, long ttlSeconds, boolean bootClock, int operations, int switching, int faults, int time,
    int wallSteps, int crashes, int powerLosses, int foreigners, int operators,
    int freezes, int strangers) {

  static Profile throwBy(SeededRandom dice) {
    return switch (dice.pick(12)) {
      case 0, 2 -> powerCuts(dice);
      case 1 -> amongForeigners(dice);
      case 3 -> frozen(dice);
      default -> anything(dice);
    };
  }

  /** Long leases over several boots whose clocks agree on nothing. */
  private static Profile powerCuts(SeededRandom dice) {
    return new Profile(1, 90, true, 6 + dice.pick(9), dice.oneOf(10, 50, 200), 0, 0, 20, 0, 10, 0, 0,
        dice.oneOf(0, 0, 60), 0);
  }

  /** Frequent scripts and an unreliable power supply. */
  private static Profile amongForeigners(SeededRandom dice) {
    return new Profile(1, dice.oneOf(2, 5), dice.chance(500), 6 + dice.pick(9), dice.oneOf(100, 400), 0, 10, 0, 0,
        dice.oneOf(0, 15), 150, dice.oneOf(0, 5), 0, 0);
  }

  /** Operators who freeze and lift, and some who damage freezes. */
  private static Profile frozen(SeededRandom dice) {
    return new Profile(1, dice.oneOf(1, 5), dice.chance(500), 6 + dice.pick(9), dice.oneOf(100, 400), dice.oneOf(0, 15),
        dice.oneOf(10, 40), dice.oneOf(0, 5), dice.oneOf(0, 8), dice.oneOf(0, 12), 0, 30, 300,
        dice.oneOf(0, 0, 150));
  }

  private static Profile anything(SeededRandom dice) {
    return new Profile(dice.chance(200) ? 2 : 1, dice.oneOf(1, 2, 5, 90), dice.chance(800), 6 + dice.pick(9),
        dice.oneOf(100, 400, 1000), dice.oneOf(0, 0, 15, 100), dice.oneOf(10, 40, 100), dice.oneOf(0, 0, 5, 20),
        dice.oneOf(0, 0, 8, 30), dice.oneOf(0, 0, 12), dice.oneOf(0, 0, 0, 20), dice.oneOf(0, 0, 5),
        dice.oneOf(0, 0, 0, 150), dice.oneOf(0, 0, 150, 400));
  }

  /** How often anything happens outside. */
  int disturbances() {
    return time + wallSteps + crashes + powerLosses + foreigners + operators;
  }
}

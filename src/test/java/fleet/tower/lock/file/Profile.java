package fleet.tower.lock.file;

/**
 * The kind of a schedule: the number of names, the length of a lease, and per mille how often the process is switched,
 * a call fails, and an external event happens. Few kinds of events at a time go deeper than all at once.
 *
 * @param operations the total number of store calls
 *
 * @param freezes how many of them, per mille, freeze a name or lift a freeze
 *
 * @param containers whether each process sees another boot, so that each restores the locks at its start
 *
 * @param journalBytes the size at which the journal is replaced
 *
 * @param strangers how often, per mille, a client uses another's request id, or may not keep its lock
 */
record Profile(int names, long ttlSeconds, boolean bootClock, int operations, int switching, int faults, int time,
    int wallSteps, int crashes, int powerLosses, int foreigners, int operators,
    int freezes, int strangers, boolean containers, int journalBytes) {

  private static final int LARGE = 1 << 20;
  private static final int SMALL = 1;

  static Profile throwBy(SeededRandom dice) {
    return switch (dice.pick(13)) {
      case 0, 2 -> powerCuts(dice);
      case 1 -> amongForeigners(dice);
      case 3 -> frozen(dice);
      case 4 -> inContainers(dice);
      default -> anything(dice);
    };
  }

  /** Long leases over several boots whose clocks agree on nothing. */
  private static Profile powerCuts(SeededRandom dice) {
    return new Profile(1, 90, true, 6 + dice.pick(9), dice.oneOf(10, 50, 200), 0, 0, 20, 0, 10, 0,
        dice.oneOf(0, 15), dice.oneOf(0, 0, 60), 0, false, dice.oneOf(LARGE, SMALL));
  }

  /** Frequent scripts and an unreliable power supply. */
  private static Profile amongForeigners(SeededRandom dice) {
    return new Profile(1, dice.oneOf(2, 5), dice.chance(500), 6 + dice.pick(9), dice.oneOf(100, 400), 0, 10, 0, 0,
        dice.oneOf(0, 15), 150, dice.oneOf(0, 15), 0, 0, false, dice.oneOf(LARGE, LARGE, SMALL));
  }

  /** Operators who freeze and lift, and some who damage freezes. */
  private static Profile frozen(SeededRandom dice) {
    return new Profile(1, dice.oneOf(1, 5), dice.chance(500), 6 + dice.pick(9), dice.oneOf(100, 400), dice.oneOf(0, 15),
        dice.oneOf(10, 40), dice.oneOf(0, 5), dice.oneOf(0, 8), dice.oneOf(0, 12), 0, 30, 300,
        dice.oneOf(0, 0, 150), false, LARGE);
  }

  /** Healthy processes, each of which takes the others for those of an earlier boot. */
  private static Profile inContainers(SeededRandom dice) {
    return new Profile(dice.chance(200) ? 2 : 1, dice.oneOf(2, 90), dice.chance(800), 6 + dice.pick(9),
        dice.oneOf(100, 400, 1000), 0, 10, 0, 0, dice.oneOf(0, 5), 0, dice.oneOf(0, 10), 0, 0,
        true, dice.oneOf(LARGE, SMALL));
  }

  private static Profile anything(SeededRandom dice) {
    return new Profile(dice.chance(200) ? 2 : 1, dice.oneOf(1, 2, 5, 90), dice.chance(800), 6 + dice.pick(9),
        dice.oneOf(100, 400, 1000), dice.oneOf(0, 0, 15, 100), dice.oneOf(10, 40, 100), dice.oneOf(0, 0, 5, 20),
        dice.oneOf(0, 0, 8, 30), dice.oneOf(0, 0, 12), dice.oneOf(0, 0, 0, 20), dice.oneOf(0, 0, 5),
        dice.oneOf(0, 0, 0, 150), dice.oneOf(0, 0, 150, 400), false, dice.oneOf(LARGE, LARGE, SMALL));
  }

  /** The same with more calls, and with so many names. */
  Profile longer(int number) {
    return new Profile(number, ttlSeconds, bootClock, operations + 10, switching, faults, time, wallSteps, crashes,
        powerLosses, foreigners, operators, freezes, strangers, containers, journalBytes);
  }

  /** How often anything happens outside. */
  int disturbances() {
    return time + wallSteps + crashes + powerLosses + foreigners + operators;
  }
}

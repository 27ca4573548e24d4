package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;

/** One course of events, decided by its seed: which process runs next, and what happens meanwhile. */
final class Schedule {
  private static final int PROCESSES = 3;
  private static final int MAX_STEPS = 600;
  private static final int NEXT_FAULT = 350;
  private static final int REMOVED_BY_HAND = 200;
  private static final int WRITTEN_BACK = 700;
  private static final List<String> NAMES = List.of("a", "b-2");

  private static final int WITH_RUNS = 250;
  private static final int RUN_INVOLVED = 250;
  private static final int WITH_FORGETTING = 150;
  private static final int FORGETTING_FREE = 500;
  private static final int FORGETTING_ANY = 30;
  private static final int WITH_HANDS = 350;
  private static final int HAND = 200;

  private final SeededRandom dice;
  /** Dice of their own, so that the seeds of other schedules, which are recorded for mutants, keep their meaning. */
  private final SeededRandom roles;
  private final boolean hasRuns;
  /** As {@link #roles}. */
  private final SeededRandom forgetting;
  private final boolean forgets;
  /** As {@link #roles}. */
  private final SeededRandom hands;
  private final boolean hasHands;
  private final SimulatedHalts halts;
  private final Profile profile;
  private final SimulatedTime time;
  private final SimulatedDisk disk = new SimulatedDisk();
  private final Tally tally;
  private final Trace trace;
  private final Checker checker;
  private final List<SimulatedProcess> processes = new ArrayList<>();
  private final List<ForeignWriter> foreigners = new ArrayList<>();
  private final Map<Integer, List<Seen>> seen = new HashMap<>();
  private int operationsLeft;
  private boolean healing;

  Schedule(long seed, Trace trace, Tally tally, @Nullable String only) {
    this.dice = new SeededRandom(seed);
    this.roles = new SeededRandom(-seed);
    this.hasRuns = roles.chance(WITH_RUNS);
    this.forgetting = new SeededRandom(~seed);
    this.forgets = forgetting.chance(WITH_FORGETTING);
    this.hands = new SeededRandom(Long.reverse(seed));
    this.hasHands = hands.chance(WITH_HANDS);
    this.halts = new SimulatedHalts(seed);
    Profile thrown = Profile.throwBy(dice);
    this.profile = forgets ? thrown.longer(NAMES.size()) : thrown;
    this.time = new SimulatedTime(profile.bootClock(), dice.chance(300) ? 0 : dice.pick(1_000_000_000));
    this.trace = trace;
    this.tally = tally;
    List<String> names = NAMES.subList(0, profile.names());
    this.checker = new Checker(time, names.stream().map(name -> name + ".lock").toList(), halts, trace, only);
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(new SimulatedProcess(i, this, tally));
    }
    for (int i = 0; i < names.size(); i++) {
      foreigners.add(new ForeignWriter(this, i));
    }
    operationsLeft = profile.operations();
    trace.add("schedule", "is", profile);
  }

  static String nameOf(int name) {
    return NAMES.get(name);
  }

  /** Runs to the end; the promise that was broken, or null. */
  @Nullable
  Violation run() {
    try {
      SimulatedProcess current = null;
      for (int step = 0; step < MAX_STEPS && checker.violation() == null; step++) {
        if (dice.chance(profile.disturbances())) {
          disturb();
        }
        if (hasHands && hands.chance(HAND)) {
          removeDuringRenewals();
        }
        if (halts.isChangeDue()) {
          halts.change();
          happened(Tally.Event.HALT_CHANGED, halts.isPlaced());
        }
        if (current == null || !isRunnable(current) || dice.chance(profile.switching())) {
          current = choose();
        }
        if (current == null) {
          break;
        }
        tally.count(Tally.Event.STEP);
        current.resume();
      }
      if (checker.violation() == null) {
        heal();
      }
    } catch (Violation outsideOfAnyProcess) {
      // The checker has it.
    }
    return checker.violation();
  }

  SeededRandom dice() {
    return dice;
  }

  Profile profile() {
    return profile;
  }

  SimulatedTime time() {
    return time;
  }

  SimulatedDisk disk() {
    return disk;
  }

  Checker checker() {
    return checker;
  }

  SimulatedHalts halts() {
    return halts;
  }

  Trace trace() {
    return trace;
  }

  /** A request id that everyone can read in a lock. */
  private record Seen(String actor, RequestId request) {}

  /** A process requests a name. */
  void tell(int name, String actor, RequestId request) {
    seen.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Seen(actor, request));
  }

  /** The request id that another actor has used last for a name, or nothing. */
  @Nullable
  RequestId seen(int name, String by) {
    return seen.getOrDefault(name, List.of()).reversed().stream().filter(one -> !one.actor().equals(by))
        .map(Seen::request).findFirst().orElse(null);
  }

  /** Whether a caller changes from a client to the executor of a run of the same id and actor, or back. */
  boolean isRunInvolved() {
    return hasRuns && roles.chance(RUN_INVOLVED);
  }

  /** Whether names without a lock are forgotten, so that there may be a floor. */
  boolean forgets() {
    return forgets;
  }

  /** Whether the next call is to forget a name; mostly while that is free. */
  boolean isForgettingDue(int name) {
    boolean isFree = disk.get(nameOf(name) + ".lock") == null && disk.get("." + nameOf(name) + ".fence") != null;
    return forgets && forgetting.chance(isFree ? FORGETTING_FREE : FORGETTING_ANY);
  }

  /** Whether there is another call to make. */
  boolean takeOperation() {
    return operationsLeft-- > 0;
  }

  boolean isFaultDue(boolean failing) {
    return !healing && dice.chance(failing ? NEXT_FAULT : profile.faults());
  }

  void happened(Tally.Event event, @Nullable Object detail) {
    tally.count(event);
    trace.add("world", event.toString(), detail);
  }

  /** The store threw something that it never may. */
  void crashedUnexpectedly(RuntimeException problem) {
    checker.broken("I0", "unexpected " + problem);
  }

  private boolean isRunnable(SimulatedProcess process) {
    return !process.isDone() && process.canGoOn();
  }

  private @Nullable SimulatedProcess choose() {
    int first = dice.pick(PROCESSES);
    for (int i = 0; i < PROCESSES; i++) {
      SimulatedProcess process = processes.get((first + i) % PROCESSES);
      if (isRunnable(process)) {
        return process;
      }
    }
    return null;
  }

  private void disturb() {
    int choice = dice.pick(profile.disturbances());
    if ((choice -= profile.time()) < 0) {
      passTime();
    } else if ((choice -= profile.wallSteps()) < 0) {
      stepWall();
    } else if ((choice -= profile.crashes()) < 0) {
      SimulatedProcess victim = processes.get(dice.pick(PROCESSES));
      happened(Tally.Event.CRASH, victim);
      if (victim.crash()) {
        happened(Tally.Event.CRASH_UNDER_GUARD, victim);
      }
    } else if ((choice -= profile.powerLosses()) < 0) {
      losePower();
    } else if (choice - profile.foreigners() < 0) {
      foreigners.get(dice.pick(foreigners.size())).act();
    } else if (processes.stream().allMatch(SimulatedProcess::isIdle)) {
      int name = dice.pick(profile.names());
      if (profile.freezes() > 0 && dice.chance(700)) {
        damageFreeze(name);
      } else {
        removeByHand(name);
      }
    }
  }

  /** Whatever it was before, it cannot be read as a freeze any more. */
  private void damageFreeze(int name) {
    FreezePromise freeze = checker.ledger(name).freeze();
    SimulatedDisk.Inode garbage = new SimulatedDisk.Inode();
    byte[] half = "{\"freeze_version\":".getBytes(StandardCharsets.US_ASCII);
    garbage.write(0, half, dice.oneOf(0, half.length));
    garbage.sync();
    disk.add(freeze.file(), garbage);
    disk.sync();
    freeze.damaged();
    happened(Tally.Event.FREEZE_DAMAGED, freeze.file());
  }

  /** Seldom at random: most bugs about time are one tick beside a whole ttl. */
  private void passTime() {
    long ttl = profile.ttlSeconds() * SimulatedTime.SECOND;
    long passed = switch (dice.pick(8)) {
      case 0, 1 -> dice.pick(1000) * 1_000_000L;
      case 2 -> SimulatedTime.SECOND;
      case 3 -> ttl / 3;
      case 4 -> ttl;
      case 5 -> ttl + dice.pick(1000) * 1_000_000L;
      case 6 -> ttl + SimulatedTime.SECOND;
      default -> 2 * ttl + dice.pick(2000) * 1_000_000L;
    };
    time.pass(passed);
    trace.add("time", "is", time);
  }

  private void stepWall() {
    long ttl = profile.ttlSeconds() * SimulatedTime.SECOND;
    long step = ttl + dice.oneOf(1, 2, 70, 4000) * SimulatedTime.SECOND;
    boolean forward = dice.chance(700);
    time.stepWall(forward ? step : -step);
    happened(Tally.Event.WALL_STEP, time);
    if (forward) {
      foreigners.forEach(ForeignWriter::forget);
      if (!time.hasBootClock()) {
        for (int name = 0; name < profile.names(); name++) {
          checker.ledger(name).revokeAll();
        }
      }
    }
  }

  private void losePower() {
    processes.forEach(SimulatedProcess::crash);
    foreigners.forEach(ForeignWriter::forget);
    disk.losePower(dice);
    time.reboot(dice.oneOf(20, -30) * SimulatedTime.SECOND);
    happened(Tally.Event.POWER_LOSS, time);
    for (String file : disk.names()) {
      SimulatedDisk.Inode inode = disk.get(file);
      trace.add("disk", file, inode == null || !file.endsWith(".lock") ? null : inode.text());
    }
    checker.powerFailed(disk);
    restoreLocks();
    checker.powerLost(disk);
  }

  /** The first processes of the new boot restore the locks; they may die or fail, and the power may fail again. */
  private void restoreLocks() {
    int attempts = dice.oneOf(0, 0, 1, 2);
    for (int attempt = 0; attempt < attempts; attempt++) {
      SimulatedProcess first = new SimulatedProcess(PROCESSES, this, tally);
      tally.count(first.restore(dice.pick(40)) ? Tally.Event.RESTORED : Tally.Event.CRASH_IN_RESTORE);
      disk.dropGuardsOf(first);
      if (dice.chance(300)) {
        disk.losePower(dice);
        time.reboot(SimulatedTime.SECOND);
      }
    }
    healing = true;
    new SimulatedProcess(PROCESSES, this, tally).restore(Integer.MAX_VALUE);
    healing = false;
    trace.add("disk", "is restored", disk.names());
  }

  /**
   * Removes a lock by hand at any moment of a renewal; another program may create its own at once. It does not where the
   * wall clock is set back and the power fails: a restore takes the younger one of two unsynced locks for the later one.
   */
  private void removeDuringRenewals() {
    if (processes.stream().anyMatch(process -> !process.isIdle())
        && processes.stream().allMatch(SimulatedProcess::isIdleOrRenewing)) {
      int name = hands.pick(profile.names());
      removeByHand(name);
      if (hands.chance(800) && (profile.wallSteps() == 0 || profile.powerLosses() == 0)) {
        foreigners.get(name).act();
      }
    }
  }

  private void removeByHand(int name) {
    Ledger ledger = checker.ledger(name);
    SimulatedDisk.Inode lock = disk.get(ledger.file());
    if (lock != null) {
      disk.remove(ledger.file());
      ledger.revokeAll();
      ledger.removedByHand(lock.text());
      checker.changedByForeigner(name, null);
      happened(Tally.Event.OPERATOR_REMOVE, ledger.file());
      removed(name, lock);
    }
  }

  /** A lock was removed by another program: it may come back only if the power fails before that is on the disk. */
  void removed(int name, SimulatedDisk.Inode lock) {
    if (dice.chance(WRITTEN_BACK)) {
      disk.writeBack();
      checker.removedByForeigner(name, lock);
      happened(Tally.Event.WRITTEN_BACK, lock.text());
    }
  }

  /** Whatever came before: with sound hardware again, the documented commands bring every name back. */
  private void heal() {
    processes.forEach(SimulatedProcess::crash);
    foreigners.forEach(ForeignWriter::forget);
    halts.lift();
    healing = true;
    if (dice.chance(REMOVED_BY_HAND)) {
      removeByHand(dice.pick(profile.names()));
    }
    trace.add("schedule", "heals", time);
    SimulatedProcess healer = new SimulatedProcess(PROCESSES, this, tally);
    new Recovery(this, healer, tally).recoverAll();
  }
}

package fleet.tower.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.time.Timestamps;

/** The examination of locks that need attention. */
public final class LocksExamination implements Examination {
  private static final Duration TOLERATED_STEP = Duration.ofSeconds(5);

  private final LockStore store;
  private final HolderProbe holders;

  /** @param holders finds out whether holders are gone */
  public LocksExamination(LockStore store, HolderProbe holders) {
    this.store = store;
    this.holders = holders;
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    List<LockView> views = store.list();
    views.forEach(view -> examine(view.examinedBy(holders), findings));
    if (findings.isEmpty()) {
      findings.add(Finding.ok("locks", views.isEmpty() ? "none held" : views.size() + " held, all alive"));
    }
    findings.addAll(largest(views));
    return findings;
  }

  /** The actor with most locks, if that has several. */
  private static List<Finding> largest(List<LockView> views) {
    Map<String, Integer> held = new TreeMap<>();
    views.forEach(view -> {
      if (view.leaseState() instanceof LeaseState.Held(Lease lease, Age _)) {
        held.merge(lease.holder().actor(), 1, Integer::sum);
      }
    });
    return held.entrySet().stream().max(Map.Entry.comparingByValue()).filter(most -> most.getValue() > 1)
        .map(most -> Finding.ok("most locks", most.getKey() + " holds " + most.getValue() + " of "
            + held.values().stream().mapToInt(Integer::intValue).sum()))
        .stream().toList();
  }

  private static void examine(LockView view, List<Finding> findings) {
    String name = view.name().value();
    if (view.freeze() instanceof FreezeState.Corrupt(String path, String problem)) {
      findings.add(Finding.fail("corrupt freeze", path + " cannot be read as a freeze, so lock " + name
          + " counts as frozen: " + problem, "lift it with `tower unfreeze " + name + "`"));
    }
    switch (view.state()) {
      case ACTIVE -> {
        goneHolder(view, findings);
        clocks(view, findings);
      }
      case FREE -> {
      }
      case STALE -> findings.add(Finding.warn("stale lock", "lock " + name + " is stale: its holder does not renew it",
          "ask `tower why " + name + "`, or free it with `tower force-release " + name + " --reason TEXT`"));
      case CORRUPT, UNSUPPORTED -> findings.add(Finding.fail(view.state() + " lock",
          view.path() + " cannot be read as a lock, so it cannot be acquired", "ask `tower why " + name + "`"));
    }
  }

  private static void goneHolder(LockView view, List<Finding> findings) {
    if (view.leaseState() instanceof LeaseState.Held(Lease lease, Age _) && lease.holder().isGone()) {
      findings.add(Finding.warn("gone holder", "lock " + view.name() + " is held by " + lease.describeHolder()
          + ", whose process is gone; it becomes stale after " + Timestamps.format(lease.expiresAt()),
          "wait until then, or free it with `tower force-release " + view.name()
              + " --reason \"its holder is gone\"`"));
    }
  }

  /** Compares the clocks since the heartbeat; if they differ too much, one of them was set. */
  private static void clocks(LockView view, List<Finding> findings) {
    if (!(view.leaseState() instanceof LeaseState.Held(var _, Age age))) {
      return;
    }
    if (age.bootMillis().isPresent()) {
      Duration step = age.sinceHeartbeat().minusMillis(age.bootMillis().getAsLong());
      if (step.compareTo(TOLERATED_STEP) > 0) {
        findings.add(Finding.warn("clock step", "the wall clock was set " + step.toSeconds()
            + " s ahead since the last heartbeat of lock " + view.name().value(),
            "no action needed for this lock; keep the clock slewed, not stepped"));
      }
    } else if (age.isSkewed()) {
      findings.add(Finding.warn("clock step",
          "the wall clock is " + -age.seconds() + " s behind the last heartbeat of lock "
              + view.name().value(),
          "set the clock of this host, or of the one that the heartbeat came from"));
    }
  }
}

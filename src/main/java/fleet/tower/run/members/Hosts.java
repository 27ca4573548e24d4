package fleet.tower.run.members;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;

/** The hosts of a home: their live processes, their runs and their locks. */
public final class Hosts {
  private final MemberStore members;
  private final RunStore runs;
  private final Locks locks;

  public Hosts(MemberStore members, RunStore runs, Locks locks) {
    this.members = members;
    this.runs = runs;
    this.locks = locks;
  }

  /**
   * One host.
   *
   * @param labels those that its services publish
   * @param differing the intents in which it differs from other hosts
   * @param warnings one sentence for each of them
   */
  public record Host(String name, List<MemberStore.Entry> executors, List<Run> runs, List<LockView> locks,
      List<String> labels, List<HostDifferences.Difference> differing, List<String> warnings) {

    /** Whether any of its processes is alive. */
    public boolean isAlive() {
      return executors.stream().anyMatch(MemberStore.Entry::isAlive);
    }
  }

  /** The executors of all hosts, ordered by host and time, without those that died a while ago. */
  public List<MemberStore.Entry> executors() {
    return members.list();
  }

  /** All hosts by name, including those known only by a lock. */
  public List<Host> list() {
    List<MemberStore.Entry> entries = members.list();
    HostDifferences differences = new HostDifferences(entries);
    SortedMap<String, Host> hosts = new TreeMap<>();
    Function<String, Host> host = name -> hosts.computeIfAbsent(name,
        _ -> new Host(name, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), differences.labels(name),
            differences.of(name), differences.warnings(name)));
    entries.forEach(entry -> host.apply(entry.member().hostId()).executors.add(entry));
    for (RunStore.Unfinished unfinished : runs.unfinished()) {
      entries.stream().filter(entry -> entry.member().id().equals(unfinished.executor())).findFirst()
          .ifPresent(entry -> runs.find(unfinished.requestId())
              .ifPresent(run -> host.apply(entry.member().hostId()).runs.add(run)));
    }
    for (LockView lock : locks.list()) {
      String holder = holder(lock);
      if (holder != null) {
        host.apply(holder).locks.add(lock);
      }
    }
    return List.copyOf(hosts.values());
  }

  /** The intents in which the hosts differ. */
  public HostDifferences differences() {
    return new HostDifferences(members.list());
  }

  private static @Nullable String holder(LockView lock) {
    return switch (lock.leaseState()) {
      case LeaseState.Held held -> held.lease().holder().hostId();
      case LeaseState.Vacant _,LeaseState.Unusable _ -> null;
    };
  }
}

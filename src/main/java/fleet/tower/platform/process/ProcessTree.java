package fleet.tower.platform.process;

import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The processes of a step according to {@code /proc}: those in the group and session of its first process, and those
 * elsewhere whose environment contains the step's random mark. A process is missed only if it left the session and
 * was executed with another environment.
 *
 * <p>A signal never reaches another program's process. The group is signalled only while its leader has not been
 * reaped, and a single process through a descriptor that stays with it, after its identity was checked again.
 */
public final class ProcessTree {
  public static final String MARK_VARIABLE = "TOWER_STEP_ID";

  private static final File PROC = new File("/proc");
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
  private static final Duration PATIENCE_AFTER_KILL = Duration.ofSeconds(10);
  /** A process shows no environment while it executes another program, so one empty check is not enough. */
  private static final int EMPTY_CHECKS = 2;

  private final GroupLeader leader;
  private final String mark;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;

  public ProcessTree(GroupLeader leader, String mark, TimeSource time, Scheduler scheduler, Consumer<String> warnings) {
    this.leader = leader;
    this.mark = mark;
    this.time = time;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** A process of the step; the start time distinguishes it from a later one with the same pid. */
  public record Member(long pid, String name, long group, long session, long startTicks) {
    @Override
    public String toString() {
      return name + " (" + pid + ")";
    }
  }

  /** The processes in the step's group or session. */
  public List<Member> inGroup() {
    return living().stream().filter(this::isInGroup).toList();
  }

  /** All processes of the step. */
  public List<Member> all() {
    return living().stream().filter(member -> isInGroup(member) || isMarked(member.pid())).toList();
  }

  /**
   * Ends processes: TERM, a grace period, then KILL until none is left. Processes that appear during the grace period
   * are not signalled before it ends, because they may belong to an orderly shutdown.
   *
   * @param betweenChecks runs between two checks
   */
  public void end(Supplier<List<Member>> members, Duration grace, Runnable betweenChecks) {
    long begun = time.nanos();
    boolean warned = false;
    Set<Member> terminated = new HashSet<>();
    boolean isGroupTerminated = signalGroup(Libc.SIGTERM) && signalGroup(Libc.SIGCONT);
    Duration pause = FIRST_PAUSE;
    int checks = 0;
    for (int empty = 0; empty < EMPTY_CHECKS; checks++) {
      List<Member> left = members.get();
      empty = left.isEmpty() ? empty + 1 : 0;
      long passed = time.nanos() - begun;
      if (passed >= grace.toNanos()) {
        boolean _ = signalGroup(Libc.SIGKILL);
        left.forEach(member -> signal(member, Libc.SIGKILL));
      } else if (checks < EMPTY_CHECKS) {
        left.stream().filter(member -> !(isGroupTerminated && member.group() == leader.pid())).filter(terminated::add)
            .forEach(member -> {
              signal(member, Libc.SIGTERM);
              signal(member, Libc.SIGCONT);
            });
      }
      if (!warned && !left.isEmpty() && passed > grace.plus(PATIENCE_AFTER_KILL).toNanos()) {
        warned = true;
        warnings.accept("SIGKILL has not ended " + left + "; the step ends when they do");
      }
      betweenChecks.run();
      if (empty < EMPTY_CHECKS) {
        scheduler.pause(pause);
        pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.plus(pause) : LONGEST_PAUSE;
      }
    }
  }

  private boolean signalGroup(int signal) {
    // Reaping holds this monitor too.
    synchronized (leader) {
      if (!leader.holdsGroup()) {
        return false;
      }
      int _ = Libc.kill(-leader.pid(), signal);
      return true;
    }
  }

  private static void signal(Member member, int signal) {
    int descriptor = Libc.openProcess(member.pid());
    try {
      Member now = find(member.pid());
      if (now == null || now.startTicks() != member.startTicks()) {
        return;
      }
      if (descriptor >= 0) {
        Libc.signalProcess(descriptor, signal);
      } else {
        int _ = Libc.kill(member.pid(), signal);
      }
    } finally {
      if (descriptor >= 0) {
        Libc.close(descriptor);
      }
    }
  }

  /**
   * Whether its group and session ids match. If the leader's pid has been reused, they prove nothing, and only the
   * mark counts.
   */
  private boolean isInGroup(Member member) {
    if (member.group() != leader.pid() && member.session() != leader.pid()) {
      return false;
    }
    return leader.holdsGroup() || find(leader.pid()) == null || isMarked(member.pid());
  }

  private boolean isMarked(long pid) {
    return ProcessStat.text(pid, "environ").contains(mark);
  }

  private static List<Member> living() {
    List<Member> living = new ArrayList<>();
    String[] names = PROC.list((_, name) -> Character.isDigit(name.charAt(0)));
    for (String name : names == null ? new String[0] : names) {
      Member member = find(Long.parseLong(name));
      if (member != null) {
        living.add(member);
      }
    }
    return living;
  }

  /** The live process with a pid, or null. */
  private static @Nullable Member find(long pid) {
    ProcessStat stat = ProcessStat.of(pid);
    return stat == null || stat.isDead()
        ? null
        : new Member(pid, stat.name(), stat.group(), stat.session(), stat.startTicks());
  }

  /** The first process of a process group; its monitor is held while it is reaped and while its group is signalled. */
  public interface GroupLeader {
    long pid();

    /** Whether the group id cannot have been reused, because the leader has not been reaped. */
    boolean holdsGroup();
  }
}

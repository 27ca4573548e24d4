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
 * The processes of one step as {@code /proc} shows them: those in the group and session of its first process, and those
 * elsewhere whose environment has the step's mark, which nobody else has by chance. Only a process that has left the session and was executed with another
 * environment is not found.
 *
 * <p>A signal never reaches a stranger. The group is signalled only while its leader has not been reaped, a single process
 * through a descriptor that stays with it, after another look whether it is the one that was meant.
 */
public final class ProcessTree {
  public static final String MARK_VARIABLE = "TOWER_STEP_ID";

  private static final File PROC = new File("/proc");
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
  private static final Duration PATIENCE_AFTER_KILL = Duration.ofSeconds(10);
  /** A process shows no environment while it begins to execute another program, so one look is not enough. */
  private static final int EMPTY_LOOKS = 2;

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

  /** A process at one moment; the time of its start tells it from a later one with its number. */
  public record Relative(long pid, String name, long group, long session, long startTicks) {
    @Override
    public String toString() {
      return name + " (" + pid + ")";
    }
  }

  /** Who is in the step's group or session. */
  public List<Relative> together() {
    return living().stream().filter(this::isTogether).toList();
  }

  /** Who belongs to the step, wherever. */
  public List<Relative> everywhere() {
    return living().stream().filter(relative -> isTogether(relative) || isMarked(relative.pid())).toList();
  }

  /**
   * Ends processes: TERM, a time of grace, KILL until none is left. Who appears during the grace is let be, for it may be
   * what another one does to end in order.
   *
   * @param between done between two looks
   */
  public void end(Supplier<List<Relative>> who, Duration grace, Runnable between) {
    long begun = time.nanos();
    boolean warned = false;
    Set<Relative> asked = new HashSet<>();
    boolean groupAsked = signalGroup(Libc.SIGTERM) && signalGroup(Libc.SIGCONT);
    Duration pause = FIRST_PAUSE;
    int looks = 0;
    for (int empty = 0; empty < EMPTY_LOOKS; looks++) {
      List<Relative> left = who.get();
      empty = left.isEmpty() ? empty + 1 : 0;
      long passed = time.nanos() - begun;
      if (passed >= grace.toNanos()) {
        boolean _ = signalGroup(Libc.SIGKILL);
        left.forEach(relative -> signal(relative, Libc.SIGKILL));
      } else if (looks < EMPTY_LOOKS) {
        left.stream().filter(relative -> !(groupAsked && relative.group() == leader.pid())).filter(asked::add)
            .forEach(relative -> {
              signal(relative, Libc.SIGTERM);
              signal(relative, Libc.SIGCONT);
            });
      }
      if (!warned && !left.isEmpty() && passed > grace.plus(PATIENCE_AFTER_KILL).toNanos()) {
        warned = true;
        warnings.accept("not even SIGKILL ends " + left + "; the step is not over before they are");
      }
      between.run();
      if (empty < EMPTY_LOOKS) {
        scheduler.pause(pause);
        pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
      }
    }
  }

  private boolean signalGroup(int signal) {
    // The one who reaps holds this monitor too.
    synchronized (leader) {
      if (!leader.holdsGroup()) {
        return false;
      }
      int _ = Libc.kill(-leader.pid(), signal);
      return true;
    }
  }

  private static void signal(Relative relative, int signal) {
    int descriptor = Libc.openProcess(relative.pid());
    try {
      Relative now = look(relative.pid());
      if (now == null || now.startTicks() != relative.startTicks()) {
        return;
      }
      if (descriptor >= 0) {
        Libc.signalProcess(descriptor, signal);
      } else {
        int _ = Libc.kill(relative.pid(), signal);
      }
    } finally {
      if (descriptor >= 0) {
        Libc.close(descriptor);
      }
    }
  }

  /** By its numbers; but when the leader's number was given to somebody else, its group is somebody else's too. */
  private boolean isTogether(Relative relative) {
    if (relative.group() != leader.pid() && relative.session() != leader.pid()) {
      return false;
    }
    return leader.holdsGroup() || look(leader.pid()) == null || isMarked(relative.pid());
  }

  private boolean isMarked(long pid) {
    return ProcessStat.text(pid, "environ").contains(mark);
  }

  private static List<Relative> living() {
    List<Relative> living = new ArrayList<>();
    String[] names = PROC.list((_, name) -> Character.isDigit(name.charAt(0)));
    for (String name : names == null ? new String[0] : names) {
      Relative relative = look(Long.parseLong(name));
      if (relative != null) {
        living.add(relative);
      }
    }
    return living;
  }

  /** A process that is there and not dead; null otherwise. */
  private static @Nullable Relative look(long pid) {
    ProcessStat stat = ProcessStat.of(pid);
    return stat == null || stat.isDead()
        ? null
        : new Relative(pid, stat.name(), stat.group(), stat.session(), stat.startTicks());
  }
}

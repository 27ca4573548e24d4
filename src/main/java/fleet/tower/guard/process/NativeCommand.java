package fleet.tower.guard.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.guard.Commands;
import fleet.tower.platform.process.Libc;
import fleet.tower.platform.process.ProcessTree;
import fleet.tower.platform.process.ProcessTree.GroupLeader;
import fleet.tower.platform.process.Supervisor;

/**
 * A command that runs. Its first process is not reaped while the others are being ended, so that no other group can get
 * its number.
 */
final class NativeCommand implements Commands.Running, GroupLeader {
  private static final int P_PID = 1;
  private static final int WNOHANG = 1;
  private static final int WSTOPPED = 2;
  private static final int WEXITED = 4;
  private static final int WNOWAIT = 0x1000000;
  private static final int CLD_EXITED = 1;
  private static final int CLD_STOPPED = 5;
  /** Where {@code siginfo_t} has the kind of change and the code or signal, on every 64-bit Linux. */
  private static final int SI_CODE = 8;
  private static final int SI_STATUS = 24;
  private static final int SI_BYTES = 256;

  private static final MemorySegment WAIT = Libc.function("waitid");

  private final int pid;
  private final Supervisor supervisor;
  private final @Nullable JobControl jobControl;
  private final ProcessTree kin;
  private int stopping;
  private boolean reaped;

  NativeCommand(int pid, Supervisor supervisor, @Nullable Terminal terminal, Function<GroupLeader, ProcessTree> kin) {
    this.pid = pid;
    this.supervisor = supervisor;
    this.jobControl = terminal == null ? null : new JobControl(terminal, pid);
    this.kin = kin.apply(this);
  }

  /** The end of the first process: its kind, and the exit code or signal. */
  private record Change(int how, int status) {}

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public synchronized boolean holdsGroup() {
    return !reaped;
  }

  @Override
  public Commands.End await(Runnable onResume) {
    for (;;) {
      Change change = look(WEXITED | WSTOPPED | WNOWAIT);
      if (change.how() != CLD_STOPPED) {
        return end();
      }
      Change _ = look(WSTOPPED | WNOHANG);
      if (jobControl != null) {
        jobControl.stopped(change.status(), onResume);
      }
    }
  }

  private Change look(int options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(SI_BYTES, 16);
      Libc.Result answer = Libc.uninterrupted(WAIT, P_PID, pid, info.address(), options);
      if (answer.value() < 0) {
        throw new IllegalStateException("waitid of " + pid + ": " + Libc.describe(answer.errno()));
      }
      return new Change(Libc.integer(info, SI_CODE), Libc.integer(info, SI_STATUS));
    }
  }

  /** The supervisor forgets the group before its number can be given to another. */
  private synchronized Commands.End end() {
    boolean interrupted = false;
    while (stopping > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    supervisor.end(HostCommands.ONLY);
    Change change = look(WEXITED);
    reaped = true;
    supervisor.close();
    if (jobControl != null) {
      jobControl.ended();
    }
    return change.how() == CLD_EXITED
        ? new Commands.Exited(change.status())
        : new Commands.Signalled(change.status());
  }

  @Override
  public synchronized void signal(int signal) {
    if (!reaped) {
      int _ = Libc.kill(-pid, signal);
    }
  }

  @Override
  public void stop(Duration grace) {
    synchronized (this) {
      if (reaped) {
        return;
      }
      stopping++;
    }
    try {
      kin.end(kin::all, grace, () -> {});
    } finally {
      synchronized (this) {
        stopping--;
        notifyAll();
      }
    }
  }

  @Override
  public void check() {
    supervisor.check();
  }
}

package fleet.tower.home;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.run.Run;
import fleet.tower.run.submit.Runs;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;

/**
 * Ends what the owner of a revoked token has begun: its runs are cancelled, the locks and claims that it holds are
 * released, and the messages that it has go back to their mailboxes. Runs, locks and messages know their owner by the
 * actor, which is the name of the token; a claim names the token.
 */
public final class CallerStop {
  /** Services apply a revocation within a second; what they begin until then is ended by the second pass. */
  private static final Duration UNTIL_REVOKED = Duration.ofMillis(1200);

  private final Home home;
  private final String token;
  private final Actor by;
  private final Set<String> runs = new LinkedHashSet<>();
  private final Set<String> locks = new LinkedHashSet<>();
  private final Set<String> tasks = new LinkedHashSet<>();
  private final Set<MailboxStore.GivenBack> messages = new LinkedHashSet<>();

  private CallerStop(Home home, String token, Actor by) {
    this.home = home;
    this.token = token;
    this.by = by;
  }

  /** What was ended, by the ids of the runs and the names of the locks and tasks, and the messages. */
  public record Stopped(List<String> runs, List<String> locks, List<String> tasks,
      List<MailboxStore.GivenBack> messages) {
    public boolean isEmpty() {
      return runs.isEmpty() && locks.isEmpty() && tasks.isEmpty() && messages.isEmpty();
    }
  }

  /** Ends what the owner of a token has begun; the token must be revoked. */
  public static Stopped of(Home home, String token, Actor by) {
    CallerStop stop = new CallerStop(home, token, by);
    stop.pass();
    home.scheduler().pause(UNTIL_REVOKED);
    stop.pass();
    return new Stopped(List.copyOf(stop.runs), List.copyOf(stop.locks), List.copyOf(stop.tasks),
        List.copyOf(stop.messages));
  }

  private void pass() {
    cancelRuns();
    releaseLocks();
    releaseTasks();
    giveMessagesBack();
  }

  private void cancelRuns() {
    RunEngine engine = home.runs().engine();
    try {
      engine.runs().unfinished().stream().map(Runs.UnfinishedRun::run).filter(run -> run.actor().name().equals(token))
          .map(Run::requestId).filter(id -> !runs.contains(id.value()))
          .filter(id -> engine.runs().cancel(id, by) instanceof Runs.CancelOutcome.Requested)
          .map(RequestId::value).forEach(runs::add);
    } finally {
      engine.close(Duration.ZERO);
    }
  }

  /** The lock of a run is released when the run has ended. */
  private void releaseLocks() {
    for (LockView lock : home.locks().list()) {
      if (lock.leaseState() instanceof LeaseState.Held held && held.lease().holder().actor().equals(token)
          && !held.lease().isOfRun() && isReleased(held.lease())) {
        locks.add(lock.name().value());
      }
    }
  }

  /** Compares the owner and the token of the lock, so that no other holder loses it. */
  private boolean isReleased(Lease lease) {
    return home.locks().release(by, lease.name(), lease.owner(), lease.token(), Locks.Result.ABORTED,
        null) instanceof ReleaseOutcome.Released;
  }

  private void giveMessagesBack() {
    try (Mailboxes opened = home.mailboxes()) {
      messages.addAll(opened.giveBack(token));
    }
  }

  private void releaseTasks() {
    try (Tasks opened = home.tasks()) {
      Predicate<Task> isOwn = task -> task.claim() != null && token.equals(task.claim().token());
      Set<Task> own = new LinkedHashSet<>();
      opened.read(new TaskStore.Query(TaskStatus.IN_PROGRESS, null, null, Integer.MAX_VALUE), row -> {
        if (isOwn.test(row.row())) {
          own.add(row.row());
        }
        return true;
      });
      for (Task task : own) {
        Task.Claim claim = task.claim();
        if (claim != null && opened.perform(new TaskCommand.Call(claim.agent(), home.newRequestId(), by),
            new TaskCommand.Release(task.id(), OptionalLong.of(task.attempt()))) instanceof TaskOutcome.Done) {
          tasks.add(task.id().value());
        }
      }
    }
  }
}

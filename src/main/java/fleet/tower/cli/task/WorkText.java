package fleet.tower.cli.task;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.text.Console;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.worker.Claims;
import fleet.tower.task.worker.Worker;

/** Prints the progress of a worker on the console. */
final class WorkText implements Worker.Listener {
  private final Console console;

  WorkText(Console console) {
    this.console = console;
  }

  @Override
  public void claimed(Claims.Claimed claimed) {
    say(claimed, "claimed (attempt " + claimed.attempt() + "): " + claimed.title());
  }

  @Override
  public void closed(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason) {
    say(claimed, ending + (reason == null ? "" : ": " + reason));
  }

  @Override
  public void settled(Claims.Claimed claimed) {
    say(claimed, "closed by the command");
  }

  @Override
  public void released(Claims.Claimed claimed, String why) {
    say(claimed, "released: " + why);
  }

  @Override
  public void lost(Claims.Claimed claimed) {
    say(claimed, "lost: claim, attempt " + claimed.attempt() + ", is over; stopping the work");
  }

  @Override
  public void heartbeatFailed(Claims.Claimed claimed, int consecutiveFailures, String error) {
    console.words("tower: warning: task " + claimed.task() + " was not renewed"
        + (consecutiveFailures == 1 ? "" : " (" + consecutiveFailures + " times)") + ": " + error);
  }

  private void say(Claims.Claimed claimed, String words) {
    console.words("tower: task " + claimed.task() + " " + words);
  }
}

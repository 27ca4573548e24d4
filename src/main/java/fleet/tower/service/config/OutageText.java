package fleet.tower.service.config;

import java.time.Duration;

import fleet.tower.platform.sql.Reachability;
import fleet.tower.platform.text.Console;

/** Prints a line when the database becomes unreachable, and when it is back. */
final class OutageText implements Reachability.Listener {
  private final Console console;

  OutageText(Console console) {
    this.console = console;
  }

  @Override
  public void gone(String problem) {
    console.words("tower: warning: " + problem);
  }

  @Override
  public void back(String database, Duration after) {
    console.words("tower: the database " + database + " answers again after " + Math.max(1, after.toSeconds()) + " s");
  }
}

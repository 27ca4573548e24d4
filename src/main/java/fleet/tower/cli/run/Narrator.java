package fleet.tower.cli.run;

import fleet.tower.home.Home;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.Console;

/** Shows the progress of a run. Used by one thread only. */
public interface Narrator {

  void stepStarted(JsonObject event);

  /** A step printed a line. */
  void line(String text);

  void stepFinished(JsonObject event);

  /** A warning. */
  void warning(String warning);

  /** A note about the run. */
  void note(String words);

  /** No more output for now: flush. */
  default void pause() {}

  /** The run is over. */
  default void end() {}

  /** The narrator for a console: live on a terminal, line by line elsewhere, silent for JSON. */
  static Narrator on(Console console, Home home, boolean forProgram) {
    if (forProgram) {
      return new Silent();
    }
    return console.isTerminal()
        ? new LiveNarrator(console, home.time(), home.scheduler(), home.variable("NO_COLOR").isEmpty())
        : new PlainNarrator(console);
  }

  /** A silent narrator, for programs that read only the final JSON. */
  final class Silent implements Narrator {
    @Override
    public void stepStarted(JsonObject event) {}

    @Override
    public void line(String text) {}

    @Override
    public void stepFinished(JsonObject event) {}

    @Override
    public void warning(String warning) {}

    @Override
    public void note(String words) {}
  }
}

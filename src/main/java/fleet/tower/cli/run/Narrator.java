package fleet.tower.cli.run;

import fleet.tower.home.Home;
import fleet.tower.platform.text.Console;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

/** Tells somebody who watches a run what happens in it. Everything may come from one thread only. */
public interface Narrator {

  /** The run waits for its lock, still or again. */
  void waiting(RunHandle.Waiting waiting);

  void stepStarted(StepRecord step);

  /** A step has printed a line. */
  void line(String text);

  void stepFinished(StepRecord step);

  /** Something that people should know. */
  void warning(String warning);

  /** Something else about the run. */
  void note(String words);

  /** There is nothing more to tell for now. */
  default void pause() {}

  /** Nothing more will be told. */
  default void end() {}

  /** Who tells it on a console: to a person as it happens, line by line where no terminal is, to a program nothing. */
  static Narrator on(Console console, Home home, boolean forProgram) {
    if (forProgram) {
      return new Silent();
    }
    return console.isTerminal()
        ? new LiveNarrator(console, home.time(), home.scheduler(), home.setting("NO_COLOR").isEmpty())
        : new PlainNarrator(console);
  }

  /** Who tells nothing, because a program asks and wants the end alone. */
  final class Silent implements Narrator {
    @Override
    public void waiting(RunHandle.Waiting waiting) {}

    @Override
    public void stepStarted(StepRecord step) {}

    @Override
    public void line(String text) {}

    @Override
    public void stepFinished(StepRecord step) {}

    @Override
    public void warning(String warning) {}

    @Override
    public void note(String words) {}
  }
}

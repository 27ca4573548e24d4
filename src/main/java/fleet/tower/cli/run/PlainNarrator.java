package fleet.tower.cli.run;

import fleet.tower.platform.text.Console;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

/** Shows a run line by line, for logs. */
final class PlainNarrator implements Narrator {
  private final Console console;

  PlainNarrator(Console console) {
    this.console = console;
  }

  @Override
  public void waiting(RunHandle.Waiting waiting) {
    note(StepText.waiting(waiting));
  }

  @Override
  public void stepStarted(StepRecord step) {
    note(StepText.title(step) + " started");
  }

  @Override
  public void line(String text) {
    console.output(text);
  }

  @Override
  public void stepFinished(StepRecord step) {
    note(StepText.title(step) + " " + StepText.ending(step));
  }

  @Override
  public void warning(String warning) {
    note("warning: " + warning);
  }

  /** Output is buffered, because a step may print a million lines a second and each flush is a system call. */
  @Override
  public void pause() {
    console.flush();
  }

  @Override
  public void note(String words) {
    console.flush();
    console.words("tower: " + words);
  }
}

package fleet.tower.cli.run;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.Console;

/** Shows a run line by line, for logs. */
final class PlainNarrator implements Narrator {
  private final Console console;

  PlainNarrator(Console console) {
    this.console = console;
  }

  @Override
  public void stepStarted(JsonObject event) {
    note(new StepText(event).title() + " started");
  }

  @Override
  public void line(String text) {
    console.output(text);
  }

  @Override
  public void stepFinished(JsonObject event) {
    StepText step = new StepText(event);
    note(step.title() + " " + step.ending());
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

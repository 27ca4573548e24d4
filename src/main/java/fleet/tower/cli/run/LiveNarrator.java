package fleet.tower.cli.run;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.TimeSpans;

/**
 * Shows a run on a terminal: the last line names the current step and its time, and is redrawn every second. All other
 * output goes above it, so it is cleared before anything is printed.
 */
final class LiveNarrator implements Narrator {
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final String WIPE = "\r\033[K";
  private static final String GREEN = "32";
  private static final String RED = "31";
  private static final String YELLOW = "33";

  private final Console console;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final boolean coloured;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable String atWork;
  private long sinceNanos;
  private Scheduler.@Nullable Pending tick;

  LiveNarrator(Console console, TimeSource time, Scheduler scheduler, boolean coloured) {
    this.console = console;
    this.time = time;
    this.scheduler = scheduler;
    this.coloured = coloured;
  }

  @Override
  public void stepStarted(JsonObject event) {
    lock.lock();
    try {
      atWork = new StepText(event).title();
      sinceNanos = time.nanos();
      show();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stepFinished(JsonObject event) {
    atWork(null);
    StepText step = new StepText(event);
    boolean isGood = step.isGood();
    above(() -> console.control(painted(isGood ? GREEN : RED, isGood ? "✔" : "✘") + " "
        + Console.printable(step.title() + " " + (isGood ? step.time() : step.ending())) + "\n"));
  }

  @Override
  public void line(String text) {
    above(() -> {
      console.output(text);
      console.flush();
    });
  }

  @Override
  public void warning(String warning) {
    above(() -> console.control(painted(YELLOW, "warning:") + " " + Console.printable(warning) + "\n"));
  }

  @Override
  public void note(String words) {
    above(() -> console.words(words));
  }

  @Override
  public void end() {
    atWork(null);
  }

  private void atWork(@Nullable String title) {
    lock.lock();
    try {
      wipe();
      atWork = title;
    } finally {
      lock.unlock();
    }
  }

  private void above(Runnable printing) {
    lock.lock();
    try {
      wipe();
      printing.run();
      show();
    } finally {
      lock.unlock();
    }
  }

  private void wipe() {
    if (tick != null) {
      tick.cancel();
      tick = null;
    }
    if (atWork != null) {
      console.control(WIPE);
    }
  }

  private void show() {
    if (atWork != null) {
      String elapsed = TimeSpans.format(Duration.ofNanos(time.nanos() - sinceNanos));
      console.control(WIPE + "▸ " + Console.printable(atWork) + " " + elapsed);
      tick = scheduler.after(TICK, this::tick);
    }
  }

  private void tick() {
    lock.lock();
    try {
      wipe();
      show();
    } finally {
      lock.unlock();
    }
  }

  private String painted(String colour, String text) {
    return coloured ? "\033[" + colour + "m" + text + "\033[0m" : text;
  }
}

package fleet.tower.platform.process;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * A small shell process that outlives this process by seconds. It knows which steps run; when its input pipe from
 * this process closes while steps are running, it ends them: their groups, and every process with one of their marks
 * in its environment.
 *
 * <p>A step costs three short lines of input instead of a process. Steps do not inherit the pipe, so only this
 * process keeps it open. If the shell is killed, another one is started and receives the list of running steps. A
 * process is missed only if it left the session <em>and</em> cleared its environment.
 *
 * <p>Before it ends steps, the shell touches their trace files, which thereby show when this process died.
 *
 * <p>The end of a step is sent before its group id is released to the system, so that a listed id never belongs to
 * another program. The shell checks a group every 100 ms, in which no system can use up all other ids.
 */
public final class Supervisor implements AutoCloseable {
  private static final String SCRIPT = """
      trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM TSTP TTIN TTOU
      cd /
      active=
      while read -r what step group trace; do
        case $what in
          +) active="$active $step" ;;
          =) eval "group_$step=$group trace_$step=\\$trace" ;;
          -) rest=
             for one in $active; do [ "$one" = "$step" ] || rest="$rest $one"; done
             active=$rest
             unset "group_$step" "trace_$step" ;;
        esac
      done
      [ -n "$active" ] || exit 0
      umask 077
      for step in $active; do
        eval "trace=\\${trace_$step-}"
        [ -z "$trace" ] || { mkdir -p "${trace%/*}" && touch "$trace"; } 2>/dev/null
      done
      prefix=$1
      set --
      for step in $active; do set -- "$@" -e "$prefix.$step."; done
      # Signals all remaining processes; returns 1 if there are none.
      signal() {
        found=1
        for step in $active; do
          eval "group=\\${group_$step-}"
          [ -n "$group" ] || continue
          if kill -s "$signal" -- "-$group" 2>/dev/null; then
            found=0
            [ "$signal" != TERM ] || kill -s CONT -- "-$group" 2>/dev/null
          else
            unset "group_$step"
          fi
        done
        for file in $(grep -lsF "$@" /proc/[0-9]*/environ); do
          pid=${file#/proc/}
          kill -s "$signal" "${pid%/environ}" 2>/dev/null && found=0
        done
        return $found
      }
      signal=TERM
      signal "$@"
      signal=0
      checks=0
      while [ $checks -lt 20 ] && signal "$@"; do
        sleep 0.1 || sleep 1
        checks=$((checks + 1))
      done
      signal=KILL
      checks=0
      none=0
      while [ $checks -lt 100 ] && [ $none -lt 2 ]; do
        if signal "$@"; then none=0; else none=$((none + 1)); fi
        sleep 0.1 || sleep 1
        checks=$((checks + 1))
      done
      """;
  private static final Duration RESTART_INTERVAL = Duration.ofSeconds(1);

  private final String prefix;
  private final ShellStarter starter;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  /** The lines that announce each running step. */
  private final Map<Long, String> running = new TreeMap<>();
  private @Nullable Shell shell;
  private long startedNanos;
  private boolean closed;

  /** @param prefix the start of the mark of each step */
  public Supervisor(String prefix, ShellStarter starter, TimeSource time, Scheduler scheduler,
      Consumer<String> warnings) {
    this.prefix = prefix;
    this.starter = starter;
    this.time = time;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** Starts the shell. */
  public interface ShellStarter {

    /** Starts the shell in its own session, without output; {@code onEnd} is called if its end is noticed. */
    Shell start(List<String> command, Consumer<Shell> onEnd) throws IOException;
  }

  /** A running shell and its input pipe. */
  public interface Shell {
    long pid();

    boolean isAlive();

    void write(String lines) throws IOException;

    /** Closes the pipe. */
    void close();
  }

  /** Announces that a step is about to start. */
  public synchronized void begin(long step) throws IOException {
    String line = "+ " + step + "\n";
    running.put(step, line);
    send(line);
  }

  /**
   * Announces the group of a step that was begun.
   *
   * @param trace its trace file, whose path has no line break; empty for none
   */
  public synchronized void group(long step, long group, String trace) {
    String line = "= " + step + " " + group + " " + trace + "\n";
    running.merge(step, line, String::concat);
    sendOrWarn(line);
  }

  /** Restarts the shell if it has ended, for systems that do not report its end. */
  public synchronized void check() {
    if (shell != null && !shell.isAlive()) {
      replace(shell);
    }
  }

  /** Announces that a step has ended. */
  public synchronized void end(long step) {
    running.remove(step);
    if (shell != null) {
      sendOrWarn("- " + step + "\n");
    }
  }

  /** The pid of the shell; tests kill it. */
  public synchronized long pid() {
    return requireNonNull(shell).pid();
  }

  private void sendOrWarn(String line) {
    try {
      send(line);
    } catch (IOException e) {
      warn(e);
    }
  }

  private void warn(IOException e) {
    warnings.accept("the supervisor cannot be started, so steps would outlive this process: " + e.getMessage());
  }

  private void send(String line) throws IOException {
    if (shell != null && shell.isAlive()) {
      try {
        shell.write(line);
        return;
      } catch (IOException diedJustNow) {
        // The next shell receives the complete list.
      }
    }
    launch();
  }

  private void launch() throws IOException {
    Shell started = starter.start(List.of("sh", "-c", SCRIPT, "tower-supervisor", prefix), this::replace);
    shell = started;
    startedNanos = time.nanos();
    started.write(String.join("", running.values()));
  }

  private synchronized void replace(Shell ended) {
    if (closed || !ended.equals(shell) || running.isEmpty()) {
      return;
    }
    if (time.nanos() - startedNanos < RESTART_INTERVAL.toNanos()) {
      startedNanos -= RESTART_INTERVAL.toNanos();
      var _ = scheduler.after(RESTART_INTERVAL, () -> replace(ended));
      return;
    }
    try {
      launch();
    } catch (IOException e) {
      warn(e);
    }
  }

  /** Closes the pipe; the shell then ends on its own. */
  @Override
  public synchronized void close() {
    closed = true;
    if (shell != null) {
      shell.close();
    }
  }
}

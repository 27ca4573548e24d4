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
 * One small shell beside this process that outlives it, if only for seconds: it is told which steps run, and when its pipe
 * from here ends while some do, it ends them: their groups, and every process with one of their marks in its environment.
 *
 * <p>It costs a step three short lines instead of a process. Steps do not inherit the pipe, so nothing keeps it open but this
 * process. Whoever kills the shell makes another begin, which is told again what runs. What it cannot find is a process that
 * left the session <em>and</em> cleared its environment.
 *
 * <p>A step is told as over before its group's number is given back to the system; so that a number on its list is never a
 * stranger's. Between two of its looks at a group pass 100 ms, in which no system can use up all other numbers.
 */
public final class Supervisor implements AutoCloseable {
  private static final String SCRIPT = """
      trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM TSTP TTIN TTOU
      cd /
      active=
      while read -r what step group; do
        case $what in
          +) active="$active $step" ;;
          =) eval "group_$step=$group" ;;
          -) rest=
             for one in $active; do [ "$one" = "$step" ] || rest="$rest $one"; done
             active=$rest
             unset "group_$step" ;;
        esac
      done
      [ -n "$active" ] || exit 0
      prefix=$1
      set --
      for step in $active; do set -- "$@" -e "$prefix.$step."; done
      # Signals all that is left; returns 1 when there was nothing.
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
      look=0
      while [ $look -lt 20 ] && signal "$@"; do
        sleep 0.1 || sleep 1
        look=$((look + 1))
      done
      signal=KILL
      look=0
      none=0
      while [ $look -lt 100 ] && [ $none -lt 2 ]; do
        if signal "$@"; then none=0; else none=$((none + 1)); fi
        sleep 0.1 || sleep 1
        look=$((look + 1))
      done
      """;
  private static final Duration TOO_SOON = Duration.ofSeconds(1);

  private final String prefix;
  private final Shells shells;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final Map<Long, Long> groups = new TreeMap<>();
  private @Nullable Shell shell;
  private long startedNanos;
  private boolean closed;

  /** @param prefix begins the mark of each step */
  public Supervisor(String prefix, Shells shells, TimeSource time, Scheduler scheduler, Consumer<String> warnings) {
    this.prefix = prefix;
    this.shells = shells;
    this.time = time;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** How the shell is started. */
  public interface Shells {

    /** Starts it in a session of its own, what it prints going nowhere; {@code onEnd} is told where its end is noticed. */
    Shell start(List<String> command, Consumer<Shell> onEnd) throws IOException;
  }

  /** The shell and the pipe that it reads from. */
  public interface Shell {
    long pid();

    boolean isAlive();

    void write(String lines) throws IOException;

    /** Ends the pipe. */
    void close();
  }

  /** Says that a step is about to run. */
  public synchronized void begin(long step) throws IOException {
    groups.put(step, 0L);
    tell(begun(step));
  }

  /** Says which group it is. */
  public synchronized void group(long step, long group) {
    groups.put(step, group);
    tellOrWarn(grouped(step, group));
  }

  /** Looks whether the shell lives, where nobody tells, and starts another if not. */
  public synchronized void check() {
    if (shell != null && !shell.isAlive()) {
      replace(shell);
    }
  }

  /** Says that it is over. */
  public synchronized void end(long step) {
    groups.remove(step);
    if (shell != null) {
      tellOrWarn("- " + step + "\n");
    }
  }

  /** The number of the shell; tests kill it. */
  public synchronized long pid() {
    return requireNonNull(shell).pid();
  }

  private static String begun(long step) {
    return "+ " + step + "\n";
  }

  private static String grouped(long step, long group) {
    return "= " + step + " " + group + "\n";
  }

  private void tellOrWarn(String line) {
    try {
      tell(line);
    } catch (IOException e) {
      warn(e);
    }
  }

  private void warn(IOException e) {
    warnings.accept("no supervisor can be started, so steps would outlive this process: " + e.getMessage());
  }

  private void tell(String line) throws IOException {
    if (shell != null && shell.isAlive()) {
      try {
        shell.write(line);
        return;
      } catch (IOException diedJustNow) {
        // The next one is told everything.
      }
    }
    launch();
  }

  private void launch() throws IOException {
    Shell started = shells.start(List.of("sh", "-c", SCRIPT, "tower-supervisor", prefix), this::replace);
    shell = started;
    startedNanos = time.nanos();
    StringBuilder all = new StringBuilder();
    groups.forEach((step, group) -> all.append(begun(step)).append(group == 0 ? "" : grouped(step, group)));
    started.write(all.toString());
  }

  private synchronized void replace(Shell ended) {
    if (closed || !ended.equals(shell) || groups.isEmpty()) {
      return;
    }
    if (time.nanos() - startedNanos < TOO_SOON.toNanos()) {
      startedNanos -= TOO_SOON.toNanos();
      var _ = scheduler.after(TOO_SOON, () -> replace(ended));
      return;
    }
    try {
      launch();
    } catch (IOException e) {
      warn(e);
    }
  }

  /** Lets it go; it ends by itself. */
  @Override
  public synchronized void close() {
    closed = true;
    if (shell != null) {
      shell.close();
    }
  }
}

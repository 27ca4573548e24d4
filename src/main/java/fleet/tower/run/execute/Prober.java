package fleet.tower.run.execute;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Probe;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Observation;
import fleet.tower.run.Processes;

/**
 * Looks at the world by the probes of intents. A probe runs as a step does, in a process group of its own, with a time
 * limit, and ended together with this process; but without a lock, and without a log.
 */
public record Prober(Processes processes, Scheduler scheduler, String home) {
  /**
   * Keeps what the probe prints on stdout, bounded, apart from stderr, which is printed first; a NUL character, which
   * bash removes from all other output, is between them.
   */
  private static final String COLLECT = "state=$(set -o pipefail; \"$@\" | head -c " + (Observation.MAX_BYTES + 1)
      + "); code=$?; printf '\\0%s' \"$state\"; exit $code";
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final int MAX_SAID = 400;
  private static final int CANNOT_TELL = 3;

  /** What a prepared run would see now; null if its intent has no probe. */
  public @Nullable Observation look(PreparedRun prepared) {
    Probe probe = prepared.intent().probe();
    if (probe == null) {
      return null;
    }
    Processes.Command command = collecting(prepared.look(probe.look(), home));
    Duration limit = Objects.requireNonNull(probe.look().timeout());
    // Its thread blocks in a system call, which no virtual thread should.
    return CompletableFuture.supplyAsync(() -> look(command, limit), processes::execute).join();
  }

  private static Processes.Command collecting(Processes.Command command) {
    List<String> argv = new ArrayList<>(List.of("bash", "-c", COLLECT, Probe.NAME));
    argv.addAll(command.argv());
    return new Processes.Command(command.requestId(), command.logName(), argv, command.environment(),
        command.secrets(), command.limits(), Map.of(), false);
  }

  private Observation look(Processes.Command command, Duration limit) {
    Printed printed = new Printed();
    Processes.Started process = processes.look(command, printed);
    Scheduler.Pending timer = scheduler.after(limit, () -> processes.execute(() -> {
      printed.isLate = true;
      process.stop(GRACE);
    }));
    while (printed.exit == null) {
      process.await();
    }
    timer.cancel();
    return printed.isLate
        ? new Observation.Unknown("the probe did not end within " + limit.toSeconds() + " s")
        : printed.observation();
  }

  /** The output of a probe: the end of stderr, and the state. */
  private static final class Printed implements Processes.Watcher {
    private static final int KEPT_BYTES = Observation.MAX_BYTES + 8192;

    private byte[] kept = new byte[0];
    private volatile Processes.@Nullable Exit exit;
    private volatile boolean isLate;

    @Override
    public void output(byte[] bytes, int offset, int length) {
      byte[] joined = Arrays.copyOf(kept, kept.length + length);
      System.arraycopy(bytes, offset, joined, kept.length, length);
      kept = joined.length <= 2 * KEPT_BYTES
          ? joined
          : Arrays.copyOfRange(joined, joined.length - KEPT_BYTES, joined.length);
    }

    @Override
    public void ended(Processes.Exit end) {
      exit = end;
    }

    Observation observation() {
      String all = new String(kept, StandardCharsets.UTF_8);
      int end = all.lastIndexOf('\0');
      String said = end < 0 ? all : all.substring(0, end);
      String state = end < 0 ? "" : all.substring(end + 1);
      if (state.getBytes(StandardCharsets.UTF_8).length > Observation.MAX_BYTES) {
        return new Observation.Unknown("the probe printed more than " + Observation.MAX_BYTES
            + " bytes; print only what an approver must see, or a digest of the rest");
      }
      String problem = switch (exit) {
        case null -> throw new IllegalStateException("the probe has not ended");
        case Processes.Exited(int code) when code == 0 -> null;
        case Processes.Exited(int code) when code == CANNOT_TELL -> "the probe cannot tell (exit code 3)";
        case Processes.Exited(int code) -> "the probe failed with exit code " + code;
        case Processes.Signalled(int signal) -> "the probe was ended by signal " + signal;
        case Processes.NotStarted(int _, String why) -> "the probe could not be started: " + why;
      };
      return problem == null ? parsed(state) : new Observation.Unknown(problem + words(said));
    }

    private static Observation parsed(String state) {
      try {
        return Observation.Seen.of(JsonReader.readObject(state));
      } catch (JsonException | IllegalArgumentException e) {
        return new Observation.Unknown("the probe printed no JSON object: " + e.getMessage());
      }
    }

    /** The last line on stderr. */
    private static String words(String said) {
      List<String> lines = said.lines().filter(line -> !line.isBlank()).toList();
      if (lines.isEmpty()) {
        return "";
      }
      String last = lines.getLast().strip();
      return ": " + VisibleText.escaped(last.length() > MAX_SAID ? last.substring(0, MAX_SAID) + "…" : last);
    }
  }
}

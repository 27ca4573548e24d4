package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.answer.RunJson;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.run.StepRecord;

@DisplayName("A run on a terminal")
class LiveNarratorTest {
  private final ManualTime time = new ManualTime("2026-01-01T10:00:00Z");
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(screen, true, StandardCharsets.UTF_8);
  private final Console console = new Console(stream, stream, true);

  private LiveNarrator narrator(boolean coloured) {
    return new LiveNarrator(console, time, time, coloured);
  }

  /** The output since the last call, with terminal controls made readable. */
  private String written() {
    String text = screen.toString(StandardCharsets.UTF_8).replace("\r\033[K", "<wipe>").replaceAll("\033\\[(\\d+)m",
        "<$1>");
    screen.reset();
    return text;
  }

  private JsonObject step(StepRecord.Status status, @Nullable Integer exit, long millis) {
    return JsonReader.readOwn(RunJson.finished(
        new StepRecord("build", StepRecord.Kind.STEP, status, exit, time.now(), millis, null, null)).end());
  }

  @Test
  @DisplayName("One line shows the current step and its duration; output appears above it; it disappears at the end")
  void tells() {
    LiveNarrator narrator = narrator(true);
    narrator.stepStarted(step(StepRecord.Status.RUNNING, null, 0));
    assertThat(written()).isEqualTo("<wipe>▸ step build 0s");

    time.advance(Duration.ofSeconds(1));
    assertThat(written()).isEqualTo("<wipe><wipe>▸ step build 1s");
    time.advance(Duration.ofSeconds(64));
    assertThat(written()).endsWith("<wipe><wipe>▸ step build 1m 4s<wipe><wipe>▸ step build 1m 5s");

    narrator.line("\033[1mcompiled\033[0m");
    assertThat(written()).isEqualTo("<wipe><1>compiled<0>\n<wipe>▸ step build 1m 5s");
    narrator.warning("slow\nly");
    assertThat(written()).isEqualTo("<wipe><33>warning:<0> slow\\nly\n<wipe>▸ step build 1m 5s");

    narrator.stepFinished(step(StepRecord.Status.SUCCEEDED, 0, 65_200));
    assertThat(written()).isEqualTo("<wipe><32>✔<0> step build 1m 5s\n");
    narrator.end();
    time.advance(Duration.ofSeconds(10));
    assertThat(written()).isEmpty();
  }

  @Test
  @DisplayName("A failed step shows its result; without colours there are no escape sequences")
  void failed() {
    LiveNarrator narrator = narrator(false);
    narrator.stepStarted(step(StepRecord.Status.RUNNING, null, 0));
    written();
    narrator.stepFinished(step(StepRecord.Status.FAILED, 3, 1_200));
    assertThat(written()).isEqualTo("<wipe>✘ step build failed with exit code 3 after 1.2s\n");
    narrator.note("rolled back");
    assertThat(written()).isEqualTo("rolled back\n");
  }

  @Test
  @DisplayName("A run that ends during a step leaves no line and no timer")
  void ended() {
    LiveNarrator narrator = narrator(false);
    narrator.stepStarted(step(StepRecord.Status.RUNNING, null, 0));
    written();
    narrator.end();
    assertThat(written()).isEqualTo("<wipe>");
    assertThat(time.pendingDelays()).isEmpty();
  }
}

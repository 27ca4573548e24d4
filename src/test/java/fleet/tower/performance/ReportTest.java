package fleet.tower.performance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.json.JsonWriter;

@DisplayName("A report prints measurements as they are made, and all of them as JSON")
class ReportTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(printed, true, StandardCharsets.UTF_8));

  @Test
  @DisplayName("Lines have aligned columns, and say whether the limit is kept")
  void text() {
    fill();
    assertThat(printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.replaceAll(" {2,}", " | ")))
        .containsExactly(
            "acquire and release, durable, 1 thread | 472 µs | ratio 0.52 | limit 1.50 | ok"
                + " | 902 µs, the same writes, each file synced",
            "a refused acquire: no sync, no guard | 300 µs | ratio 0.70 | limit 0.20 | OVER"
                + " | 427 µs, a granted one and its release",
            "runs with 8 clients | 710 /s | ratio 0.36 | limit 0.50 | UNDER | 1,975 /s, `webhook`",
            "memory of an idle service, right after its start | 162 MiB | limit 250 | ok",
            "a look for a prior request, p50 | 7.25 µs");
    assertThat(printed.toString(StandardCharsets.UTF_8).lines().limit(2).map(line -> line.indexOf("ratio")).distinct())
        .hasSize(1);
  }

  @Test
  @DisplayName("The document has the machine and every measurement")
  void json() {
    fill();
    assertThat(report.json(JsonWriter.line().put("file_system", "ext4").put("processors", 2).put("java", "25.0.3")))
        .isEqualTo("""
            {
              "machine": {"file_system":"ext4","processors":2,"java":"25.0.3"},
              "measurements": [%s]
            }""".formatted(String.join(",",
            "{\"group\":\"lock\",\"name\":\"acquire and release, durable, 1 thread\",\"unit\":\"µs\",\"ours\":472,"
                + "\"baseline\":902,\"baseline_name\":\"the same writes, each file synced\",\"ratio\":0.5233,"
                + "\"limit\":1.5,\"within_limit\":true}",
            "{\"group\":\"lock\",\"name\":\"a refused acquire: no sync, no guard\",\"unit\":\"µs\",\"ours\":300,"
                + "\"baseline\":427,\"baseline_name\":\"a granted one and its release\",\"ratio\":0.7,"
                + "\"limit\":0.2,\"within_limit\":false}",
            "{\"group\":\"http\",\"name\":\"runs with 8 clients\",\"unit\":\"/s\",\"ours\":710,\"baseline\":1975,"
                + "\"baseline_name\":\"`webhook`\",\"ratio\":0.36,\"limit\":0.5,\"within_limit\":false}",
            "{\"group\":\"http\",\"name\":\"memory of an idle service, right after its start\",\"unit\":\"MiB\","
                + "\"ours\":162,\"baseline\":null,\"baseline_name\":null,\"ratio\":null,\"limit\":250,"
                + "\"within_limit\":true}",
            "{\"group\":\"runs\",\"name\":\"a look for a prior request, p50\",\"unit\":\"µs\",\"ours\":7.25,"
                + "\"baseline\":null,\"baseline_name\":null,\"ratio\":null,\"limit\":null,\"within_limit\":true}")));
  }

  private void fill() {
    report.add(Measure.ACQUIRE, 472_000, 902_000, 0.52329);
    report.add(Measure.REFUSED, 300_000, 427_000, 0.7);
    report.add(Measure.RUNS_8, 710, 1975, 0.36);
    report.add(Measure.IDLE, 162);
    report.add(Measure.LOOK, 7250);
  }

  @Test
  @DisplayName("Groups are named as on the page; a name that is not offered is refused")
  void groups() {
    assertThat(Group.named(List.of("http", "lock"), EnumSet.allOf(Group.class)))
        .containsExactly(Group.LOCK, Group.HTTP);
    assertThat(Group.named(List.of(), Group.guarded())).containsExactly(Group.LOCK, Group.COMMAND, Group.RUNS,
        Group.STEPS, Group.SERVE, Group.HTTP, Group.TASKS, Group.FLEET);
    assertThatThrownBy(() -> Group.named(List.of("notices"), Group.guarded())).hasMessage("no group 'notices' among"
        + " lock, command, runs, steps, serve, http, tasks, fleet");
  }
}

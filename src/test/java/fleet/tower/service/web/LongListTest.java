package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("A list too large for one answer")
class LongListTest {
  private static final int DESCRIPTION = 16_000;

  private static JsonObject json(Answer answer) throws JsonException {
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().length()).isLessThan(RowBudget.MAX_SIZE + 100_000);
    return JsonReader.readObject(answer.body());
  }

  @Test
  @DisplayName("Tasks: the first ones, complete and in order, and `truncated`; with filters all of them")
  @ProofsProfile
  void tasks(@TempDir Path home) throws Exception {
    int count = RowBudget.MAX_SIZE / DESCRIPTION + 10;
    try (TestService service = new TestService(home)) {
      for (int i = 0; i < count; i++) {
        assertThat(service.post("/tasks", "{\"agent\":\"boss\",\"request_id\":\"r" + i + "\",\"id\":\"t" + i
            + "\",\"title\":\"T\",\"project\":\"p" + i % 2 + "\",\"description\":\"" + "x".repeat(DESCRIPTION) + "\"}")
            .status()).isEqualTo(201);
      }
      JsonObject data = json(service.get("/tasks?limit=10000")).object("data").orElseThrow();
      assertThat(data.raw()).containsPattern("],\"truncated\":true,\"next\":\"[\\w-]+\"}$");
      assertThat(data.objects("tasks")).hasSizeBetween(count - 50, count - 1);
      assertThat(data.objects("tasks").get(400).text("id")).contains("t400");
      JsonObject half = json(service.get("/tasks?limit=10000&project=p1")).object("data").orElseThrow();
      assertThat(half.get("truncated")).isNull();
      assertThat(half.objects("tasks")).hasSize(count / 2);
      assertThat(service.call("HEAD", "/tasks?limit=10000", "").status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName("Audit: the newest events, and `truncated`")
  void audit(@TempDir Path home) throws Exception {
    try (TestService service = new TestService(home)) {
      service.post("/locks/prod", "{\"request_id\":\"r1\"}");
      service.call("DELETE", "/locks/prod?request_id=r1", "");
      Path day;
      try (Stream<Path> days = Files.list(home.resolve("logs/audit"))) {
        day = days.filter(file -> file.toString().endsWith(".jsonl")).findFirst().orElseThrow();
      }
      String line = Files.readAllLines(day).getLast();
      String large = line.substring(0, line.length() - 1) + ",\"note\":\"" + "x".repeat(4000) + "\"}\n";
      Files.writeString(day, large.repeat(3000) + line + "\n");
      JsonObject log = json(service.get("/audit?limit=10000"));
      assertThat(log.raw()).containsPattern("],\"truncated\":true,\"next\":\"[\\w-]+\"}$");
      assertThat(log.objects("events")).hasSizeBetween(1500, 2100);
      assertThat(log.objects("events").getLast().get("note")).isNull();
      assertThat(json(service.get("/audit?limit=1000")).get("truncated")).isNull();
      int count = 0;
      for (String next = ""; next != null;) {
        JsonObject page = json(service.get("/audit?limit=10000" + next));
        count += page.objects("events").size();
        next = page.text("next").map(it -> "&cursor=" + it).orElse(null);
      }
      assertThat(count).isEqualTo(3001);
    }
  }
}

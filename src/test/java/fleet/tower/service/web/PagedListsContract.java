package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.service.config.TestService.Answer;

/** The contract of lists with pages over HTTP, for each kind of store. */
abstract class PagedListsContract extends SharedRunServiceTest {
  PagedListsContract(String... settings) {
    super(settings);
  }

  /** The rows of all pages, by one of their members. */
  private List<String> all(String path, String member, String id, Runnable afterPage) throws JsonException {
    List<String> all = new ArrayList<>();
    String next = null;
    do {
      JsonObject page = page(path + (next == null ? "" : "&cursor=" + next));
      List<JsonObject> rows = page.objects(member);
      assertThat(rows).isNotEmpty();
      rows.forEach(row -> all.add(row.text(id).orElseThrow()));
      next = page.text("next").orElse(null);
      afterPage.run();
    } while (next != null);
    return all;
  }

  private JsonObject page(String path) throws JsonException {
    Answer answer = service.get(path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    JsonObject body = JsonReader.readObject(answer.body());
    return body.object("data").orElse(body);
  }

  private void post(String path, String body) {
    assertThat(service.post(path, body).status()).isEqualTo(201);
  }

  private void lock(String name, String metadata) {
    post("/locks/" + name, "{\"request_id\":\"req-" + name + "\",\"metadata\":{\"note\":\"" + metadata + "\"}}");
  }

  @Test
  @DisplayName("700 locks with 15 kB each need more than one page, and none hides another, while locks come and go")
  void locks() throws JsonException {
    Set<String> throughout = new TreeSet<>();
    for (int i = 100; i < 800; i++) {
      lock("ci-" + i, "x".repeat(15_000));
      throughout.add("ci-" + i);
    }
    lock("prod-db", "");
    throughout.add("prod-db");
    assertThat(page("/locks").text("next")).isPresent();
    int[] count = {0};
    List<String> read = all("/locks?limit=90", "locks", "lock_name", () -> {
      String gone = "ci-" + (110 + 60 * count[0]++);
      service.call("DELETE", "/locks/" + gone + "?request_id=req-" + gone, "");
      throughout.remove(gone);
      lock("a-" + count[0], "");
    });
    assertThat(read).isSorted().doesNotHaveDuplicates().containsAll(throughout);
    assertThat(all("/locks?", "locks", "lock_name", () -> {})).containsAll(throughout);
  }

  @Test
  @DisplayName("Each run is on one page, the newest first, while runs begin; the filters of the first page apply")
  void runs() throws JsonException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      run("paged-" + i);
      expected.addFirst("paged-" + i);
    }
    int[] count = {0};
    List<String> read = all("/runs?limit=5&intent=say", "runs", "request_id", () -> run("during-" + count[0]++));
    assertThat(read.stream().filter(expected::contains)).isEqualTo(expected);
    assertThat(read).doesNotHaveDuplicates();
    String next = page("/runs?limit=5&intent=say").text("next").orElseThrow();
    assertThat(service.get("/runs?limit=5&cursor=" + next).status()).isEqualTo(400);
    assertThat(service.get("/runs?limit=2&intent=say&cursor=" + next).status()).isEqualTo(200);
  }

  private void run(String id) {
    assertThat(service.post("/intents/say", "{\"params\":{\"text\":\"hi\"},\"request_id\":\"" + id + "\"}").status())
        .isEqualTo(200);
  }

  @Test
  @DisplayName("Each task is on one page, in the order in which tasks are offered")
  void tasks() throws JsonException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      post("/tasks", "{\"agent\":\"boss\",\"request_id\":\"paged-t" + i + "\",\"id\":\"t" + i
          + "\",\"title\":\"T\",\"project\":\"paged\",\"priority\":" + -i / 10 + "}");
      expected.add("t" + i);
    }
    assertThat(all("/tasks?project=paged&limit=7", "tasks", "id", () -> {})).isEqualTo(expected);
  }

  @Test
  @DisplayName("Each event of the audit log is on one page, the pages with the newest events first")
  void audit() throws JsonException {
    for (int i = 0; i < 15; i++) {
      lock("audited-" + i, "");
    }
    List<String> read = all("/audit?limit=4&event=lock_acquired", "events", "request_id", () -> lock("later-"
        + service.get("/locks").body().length(), ""));
    assertThat(read).doesNotHaveDuplicates();
    assertThat(read.stream().filter(id -> id.startsWith("req-audited-"))).hasSize(15);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/locks", "/runs", "/tasks", "/audit"})
  @DisplayName("A cursor that the list did not answer is refused")
  void badCursor(String path) {
    for (String cursor : List.of("x", "AAAAAAAAAAAAAAAA", "%00", "..%2F..")) {
      Answer answer = service.get(path + "?cursor=" + cursor);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.body()).contains("\"error\":\"invalid_request\"");
    }
    assertThat(service.get(path + "?limit=0").status()).isEqualTo(400);
  }
}

package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FreezeCallsTest {
  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    service = new TestService(home);
  }

  private Answer put(String name, String body) {
    return service.call("PUT", "/freezes/" + name, body, "Content-Type", "application/json");
  }

  private Answer freeze(String name) {
    return put(name, "{\"ttl_seconds\":1800,\"reason\":\"migration\",\"request_id\":\"req_f\"}");
  }

  private static String freezeOf(String name) {
    return "{\"lock_name\":\"" + name + "\",\"request_id\":\"req_f\",\"actor\":\"operator\",\"reason\":\"migration\","
        + "\"created_at\":\"TIME\",\"ttl_seconds\":1800,\"expires_at\":\"TIME\"}";
  }

  @Test
  @DisplayName("LK-30 a freeze is created, listed, shown with the lock, blocks, rejects a second request, and is "
      + "lifted")
  void life() {
    Answer made = freeze("life");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.stable()).isEqualTo(freezeOf("life"));
    assertThat(service.get("/freezes").stable()).contains("{\"freezes\":[").contains(freezeOf("life"));
    assertThat(service.get("/locks/life").stable()).isEqualTo("{\"lock_name\":\"life\",\"state\":\"free\","
        + "\"waiters\":0,\"lock_path\":\"HOME/logs/locks/life.lock\",\"frozen\":" + freezeOf("life")
        + ",\"queue\":[]}");
    assertThat(service.get("/locks").stable()).contains("\"frozen\":" + freezeOf("life"));

    Answer refused = service.post("/locks/life", "{\"force_lock\":true}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.stable().replaceAll("\\d{4}-\\S+?Z", "TIME")).isEqualTo("{\"type\":\"about:blank\","
        + "\"title\":\"Conflict\",\"status\":409,\"detail\":\"lock life is frozen by operator until TIME: migration\","
        + "\"error\":\"lock_frozen\",\"lock_name\":\"life\",\"frozen_by\":\"operator\",\"reason\":\"migration\","
        + "\"created_at\":\"TIME\",\"expires_at\":\"TIME\","
        + "\"suggestion\":\"Wait until the freeze ends, or ask its owner to lift it\",\"position\":1,"
        + "\"retry_after_seconds\":60,\"next_actions\":["
        + "{\"method\":\"POST\",\"href\":\"/locks/life\",\"body\":{\"force_lock\":true,\"wait_seconds\":3600},"
        + "\"command\":\"tower lock life --wait 1h --force-lock\",\"why\":\"wait until the freeze ends\"},"
        + "{\"method\":\"GET\",\"href\":\"/locks/life\",\"command\":\"tower why life\","
        + "\"why\":\"see who froze it, and until when\"}]}");
    assertThat(refused.header("Retry-After")).isEqualTo("60");

    Answer second = put("life", "{\"ttl_seconds\":1800,\"reason\":\"migration\",\"request_id\":\"req_g\"}");
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.body()).contains("\"error\":\"lock_frozen\"").contains("\"command\":\"tower unfreeze life\"");

    Answer lifted = service.call("DELETE", "/freezes/life", "");
    assertThat(lifted.status()).isEqualTo(200);
    assertThat(lifted.stable())
        .isEqualTo("{\"lock_name\":\"life\",\"unfrozen\":true,\"previous_freeze\":" + freezeOf("life") + "}");
    assertThat(service.call("DELETE", "/freezes/life", "").stable()).contains("\"status\":404")
        .contains("\"error\":\"not_frozen\",\"lock_name\":\"life\"");
    assertThat(service.get("/locks/life").status()).isEqualTo(404);
    assertThat(service.post("/locks/life", "{}").status()).isEqualTo(201);
    assertThat(service.get("/audit?lock_name=life").body()).contains("\"event\":\"lock_frozen\"")
        .contains("\"event\":\"lock_blocked\"").contains("\"error\":\"lock_frozen\"")
        .contains("\"event\":\"lock_unfrozen\"");
  }

  @Test
  @DisplayName("U12 a freeze that lasts longer than the longest wait says so, and to ask again after it")
  void outlasting() {
    assertThat(put("long", "{\"ttl_seconds\":7200,\"reason\":\"migration\"}").status()).isEqualTo(201);

    for (String body : new String[]{"{}", "{\"wait_seconds\":1}"}) {
      String answer = service.post("/locks/long", body).body();
      assertThat(answer).containsPattern("\"next_actions\":\\[\\{\"method\":\"GET\",\"href\":\"/locks/long\","
          + "\"command\":\"tower why long\",\"why\":\"the freeze lasts until \\S+Z, "
          + "longer than the longest wait of 1h: ask again after that, or ask who froze it to lift it\"");
      assertThat(answer).endsWith("},{\"method\":\"POST\",\"href\":\"/locks/long\",\"body\":{\"wait_seconds\":3600},"
          + "\"command\":\"tower lock long --wait 1h\",\"why\":\"wait, in case it is lifted earlier\"}]}");
    }
  }

  @Test
  @DisplayName("A repeated request returns the same freeze, recorded once; another reason or time is rejected")
  void again() {
    Answer first = freeze("again");
    Answer second = freeze("again");
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(put("again", "{\"ttl_seconds\":900,\"reason\":\"migration\",\"request_id\":\"req_f\"}").status())
        .isEqualTo(409);
    assertThat(put("again", "{\"ttl_seconds\":1800,\"reason\":\"another\",\"request_id\":\"req_f\"}").status())
        .isEqualTo(409);
    assertThat(service.get("/audit?lock_name=again").body().split("\"lock_frozen\",", -1)).hasSize(2);
  }

  @Test
  @DisplayName("LK-B19 a waiter over HTTP waits through a freeze and gets the lock when it is lifted; a timeout "
      + "names the freezer")
  void waiting() {
    freeze("waited");
    Answer inVain = service.post("/locks/waited", "{\"wait_seconds\":1}");
    assertThat(inVain.status()).isEqualTo(409);
    assertThat(inVain.body()).contains("\"error\":\"lock_wait_timeout\"").contains("\"frozen_by\":\"operator\"");
    CompletableFuture<Answer> waiter = service.later("/locks/waited", "{\"wait_seconds\":600}");
    Await.until("one waits", () -> service.get("/locks/waited").body().contains("\"waiters\":1"));
    service.call("DELETE", "/freezes/waited", "");
    assertThat(waiter.join().status()).isEqualTo(201);
  }

  @OneHost("only a file can be an unreadable freeze")
  @Test
  @DisplayName("LK-B15 an unreadable freeze blocks, is listed with its problem, and can be lifted")
  void corrupt() throws IOException {
    service.post("/locks/other", "{}");
    Files.createFile(service.home().resolve("logs/locks/.corrupt.freeze"));
    Answer refused = service.post("/locks/corrupt", "{}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(refused.body()).contains("\"error\":\"lock_frozen\"").contains("\"problem\":\"not a JSON object")
        .contains("\"method\":\"DELETE\",\"href\":\"/freezes/corrupt\"");
    assertThat(service.get("/freezes").body()).contains("{\"lock_name\":\"corrupt\",\"problem\":\"");
    assertThat(freeze("corrupt").status()).isEqualTo(409);
    assertThat(service.call("DELETE", "/freezes/corrupt", "").body()).contains("\"previous_freeze\":null");
    assertThat(service.post("/locks/corrupt", "{}").status()).isEqualTo(201);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', value = {"bad @ {\"reason\":\"x\"} @ is missing",
      "bad @ {\"ttl_seconds\":60} @ reason", "bad @ {\"ttl_seconds\":0,\"reason\":\"x\"} @ ttl_seconds",
      "bad @ {\"ttl_seconds\":604801,\"reason\":\"x\"} @ ttl_seconds",
      "bad @ {\"ttl_seconds\":1.5,\"reason\":\"x\"} @ ttl_seconds",
      "bad @ {\"ttl_seconds\":60,\"reason\":\" \"} @ must be a string of 1 to 1000 characters",
      "Bad @ {\"ttl_seconds\":60,\"reason\":\"x\"} @ lock name 'Bad'",
      "bad @ {\"ttl_seconds\":60,\"reason\":\"x\",\"ttl\":1} @ ttl"})
  @DisplayName("LK-30 LK-B16 a missing or invalid member is 400 and freezes nothing")
  void refusesBadRequests(String name, String body, String message) {
    Answer answer = put(name.strip(), body.strip());
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains(message.strip());
    assertThat(service.get("/freezes").body()).doesNotContain("\"bad\"");
  }
}

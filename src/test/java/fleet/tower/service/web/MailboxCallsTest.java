package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.service.call.CallsThatWait;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MailboxCallsTest {
  private static final Pattern RECEIPT = Pattern.compile("\"receipt_handle\":\"([^\"]+)\"");

  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    service = new TestService(home);
  }

  private Answer send(String mailbox, String id, String body) {
    return service.post("/mailboxes/" + mailbox + "/messages", "{\"id\":\"" + id + "\",\"body\":" + body
        + ",\"reply_to\":\"" + mailbox + "-answers\"}");
  }

  private static String receipt(Answer answer) {
    Matcher receipt = RECEIPT.matcher(answer.body());
    assertThat(receipt.find()).as(answer.body()).isTrue();
    return receipt.group(1);
  }

  private Answer by(String receipt, String path, String members) {
    return service.post("/mailboxes/" + path,
        "{\"receipt_handle\":\"" + receipt + "\"" + (members.isEmpty() ? "" : "," + members) + "}");
  }

  private String count(String mailbox) {
    return data(service.get("/mailboxes/" + mailbox)).replaceFirst("\\{\"mailbox\":\"[^\"]+\",\"messages\":\\d+,", "{");
  }

  private static String counted(int ready, int leased, int delayed, int dead) {
    return "{\"ready\":" + ready + ",\"leased\":" + leased + ",\"delayed\":" + delayed + ",\"dead\":" + dead + "}";
  }

  /** The members of the common envelope. */
  private static String data(Answer answer) {
    String envelope = "{\"schema_version\":\"v1\",\"success\":true,\"data\":";
    assertThat(answer.body()).startsWith(envelope).endsWith("}");
    return answer.stable().substring(envelope.length(), answer.stable().length() - 1);
  }

  @Test
  @DisplayName("WI-10 WI-12 WI-13 WI-14 a message is sent, leased, extended, answered and removed; its JSON is "
      + "the command line's")
  void life() {
    Answer sent = send("life", "l1", "{\"app\": \"web\", \"n\": 1.50}");
    assertThat(sent.status()).isEqualTo(201);
    String message = "{\"id\":\"l1\",\"mailbox\":\"life\",\"body\":{\"app\": \"web\", \"n\": 1.50},"
        + "\"enqueued_at\":\"TIME\",\"reply_to\":\"life-answers\"";
    assertThat(data(sent)).isEqualTo(message + ",\"replayed\":false}");
    Answer again = send("life", "l1", "{\"app\": \"web\", \"n\": 1.50}");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(data(again)).isEqualTo(message + ",\"replayed\":true}");

    Answer received = service.post("/mailboxes/life/receive", "{\"max_messages\":99,\"visibility_timeout\":60}");
    assertThat(received.status()).isEqualTo(200);
    String receipt = receipt(received);
    assertThat(data(received)).isEqualTo("{\"messages\":[" + message + ",\"receipt_handle\":\"l1/RANDOM\","
        + "\"delivery_count\":1,\"visible_at\":\"TIME\"}]}");
    assertThat(count("life")).isEqualTo(counted(0, 1, 0, 0));
    assertThat(data(by(receipt, "life/extend", "\"visibility_timeout\":7200")))
        .matches("\\{\"id\":\"l1\",\"visible_at\":\"TIME\",\"remaining_seconds\":7(200|199)}");
    assertThat(data(by(receipt, "life/reply", "\"body\":null,\"more\":true"))).endsWith("\"acknowledged\":false}");
    Answer replied = by(receipt, "life/reply", "\"body\":[1]");
    assertThat(data(replied).replaceAll("msg_\\w+", "ID")).isEqualTo("{\"reply\":{\"id\":\"ID\","
        + "\"mailbox\":\"life-answers\",\"body\":[1],\"enqueued_at\":\"TIME\",\"reply_to\":null,\"in_reply_to\":\"l1\"},"
        + "\"acknowledged\":true}");
    assertThat(count("life")).isEqualTo(counted(0, 0, 0, 0));
    assertThat(data(service.get("/mailboxes"))).contains("{\"mailbox\":\"life-answers\",\"messages\":2,\"ready\":2,");
    assertThat(data(service.post("/mailboxes/life/receive", ""))).isEqualTo("{\"messages\":[]}");
    assertThat(data(service.call("DELETE", "/mailboxes/life-answers/messages", "")))
        .isEqualTo("{\"mailbox\":\"life-answers\",\"purged\":2}");
  }

  @Test
  @DisplayName("WI-15 WI-17 nack, reject, dead letters, revive and purge; each deletion and revival is audited "
      + "with its caller")
  void ends() {
    send("ends", "e1", "\"a\"");
    String first = receipt(service.post("/mailboxes/ends/receive", ""));
    assertThat(by(first, "ends/nack", "\"visibility_timeout\":3600,\"error\":\"weather\"").status()).isEqualTo(200);
    assertThat(count("ends")).isEqualTo(counted(0, 0, 1, 0));
    service.call("DELETE", "/mailboxes/ends/messages", "");
    send("ends", "e2", "\"b\"");
    String second = receipt(service.post("/mailboxes/ends/receive", ""));
    assertThat(by(second, "ends/nack", "").status()).isEqualTo(200);
    String third = receipt(service.post("/mailboxes/ends/receive", ""));
    Answer rejected = by(third, "ends/reject", "\"error\":\"no such app\"");
    String letter = "{\"id\":\"e2\",\"mailbox\":\"ends\",\"body\":\"b\",\"reply_to\":\"ends-answers\","
        + "\"delivery_count\":2,\"cause\":\"rejected\",\"last_error\":\"no such app\",\"enqueued_at\":\"TIME\","
        + "\"first_received_at\":\"TIME\",\"dead_lettered_at\":\"TIME\"}";
    assertThat(data(rejected)).isEqualTo(letter);
    assertThat(data(service.get("/mailboxes/ends/dead?limit=5"))).isEqualTo("{\"dead_letters\":[" + letter + "]}");

    Answer missing = service.post("/mailboxes/ends/dead/revive", "{\"ids\":[\"e2\",\"e9\"]}");
    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.body()).contains("\"error\":\"dead_letter_not_found\"", "\"message_id\":\"e9\"",
        "\"href\":\"/mailboxes/ends/dead\"");
    assertThat(data(service.post("/mailboxes/ends/dead/revive", "{\"ids\":[\"e2\"]}")))
        .isEqualTo("{\"mailbox\":\"ends\",\"revived\":1}");
    by(receipt(service.post("/mailboxes/ends/receive", "")), "ends/reject", "\"error\":\"again\"");
    assertThat(data(service.post("/mailboxes/ends/dead/revive", ""))).endsWith("\"revived\":1}");
    by(receipt(service.post("/mailboxes/ends/receive", "")), "ends/reject", "\"error\":\"again\"");
    assertThat(data(service.call("DELETE", "/mailboxes/ends/dead", ""))).endsWith("\"purged\":1}");
    assertThat(service.get("/audit?event=mailbox_revived").body()).contains("\"actor\":\"operator\"",
        "\"message_ids\":[\"e2\"]");
    assertThat(service.get("/audit?event=mailbox_purged").body()).contains("\"mailbox\":\"ends\"");
  }

  @Test
  @DisplayName("WI-B2 T12 an old receipt is 409 with the reason and the next step; a full mailbox 409 with Retry-After")
  void refused() {
    send("refused", "r1", "1");
    String first = receipt(service.post("/mailboxes/refused/receive", "{\"visibility_timeout\":0}"));
    String second = receipt(service.post("/mailboxes/refused/receive", "{\"wait_time_seconds\":5}"));
    for (String path : new String[]{"ack", "nack", "extend"}) {
      Answer old = by(first, "refused/" + path, "");
      assertThat(old.status()).isEqualTo(409);
      assertThat(old.stable()).isEqualTo("{\"type\":\"about:blank\",\"title\":\"Conflict\",\"status\":409,"
          + "\"detail\":\"message r1 is no longer yours: receipt handle expired,"
          + " the message was offered to others again\","
          + "\"schema_version\":\"v1\",\"success\":false,\"error_code\":\"receipt_handle_expired\","
          + "\"error\":\"receipt_handle_expired\",\"message_id\":\"r1\",\"receipt_handle\":\"r1/RANDOM\","
          + "\"reason\":\"passed_on\",\"suggestion\":\"stop working on it; another worker may receive it;"
          + " receive with a longer"
          + " visibility timeout, or extend it while you work\",\"next_actions\":[{\"method\":\"POST\","
          + "\"href\":\"/mailboxes/refused/receive\",\"body\":{},\"command\":\"tower mailbox receive refused\","
          + "\"why\":\"receive the next one\"}]}");
      assertThat(old.header("content-type")).startsWith("application/problem+json");
    }
    assertThat(by(first, "refused/reply", "\"body\":1").body()).contains("receipt_handle_expired");
    assertThat(by(first, "refused/reject", "\"error\":\"no\"").body()).contains("receipt_handle_expired");
    assertThat(by(second, "refused/ack", "").status()).isEqualTo(200);

    assertThat(service.post("/mailboxes/refused/messages", "{\"body\":1,\"id\":\"r2\"}").status()).isEqualTo(201);
    Answer full = service.post("/mailboxes/refused/messages", "{\"body\":1,\"max_size\":1}");
    assertThat(full.status()).isEqualTo(507);
    assertThat(full.body()).contains("\"title\":\"Insufficient Storage\"", "\"error\":\"mailbox_full\"", "\"limit\":1",
        "\"unit\":\"messages\"", "\"href\":\"/mailboxes/refused\"");
    assertThat(full.header("retry-after")).isEqualTo("1");
    assertThat(service.post("/mailboxes/refused/messages", "{\"body\":2,\"id\":\"r2\"}").body())
        .contains("\"status\":409", "\"error\":\"message_exists\"");
    String unanswerable = receipt(service.post("/mailboxes/refused/receive", ""));
    Answer nowhere = by(unanswerable, "refused/reply", "\"body\":1");
    assertThat(nowhere.status()).isEqualTo(422);
    assertThat(nowhere.body()).contains("\"error\":\"reply_not_available\"", "\"href\":\"/mailboxes/refused/ack\"");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      POST | /mailboxes/jobs/messages | {"bodi":1} | did you mean 'body'?
      POST | /mailboxes/jobs/messages | {} | '''body'' is missing'
      POST | /mailboxes/jobs/messages | {"body":1,"id":"?"} | message id '?' must have 1 to 128
      POST | /mailboxes/jobs/messages | {"body":1,"max_size":100001} | '''max_size'' must be a whole number from 1 to 100000'
      POST | /mailboxes/jobs/messages | {"body":1,"reply_to":"Answers"} | did you mean 'answers'?
      POST | /mailboxes/Jobs/messages | {"body":1} | did you mean 'jobs'?
      POST | /mailboxes/jobs/receive | {"max_messages":0} | '''max_messages'' must be a whole number from 1'
      POST | /mailboxes/jobs/receive | {"visibility_timeout":43201} | '''visibility_timeout'' must be a whole number from 0 to 43200'
      POST | /mailboxes/jobs/receive | {"wait_time_seconds":3601} | '''wait_time_seconds'' must be a whole number from 0 to 3600'
      POST | /mailboxes/jobs/receive | {"max_deliveries":1001} | '''max_deliveries'' must be a whole number from 1 to 1000'
      POST | /mailboxes/jobs/receive | {"wait_time_second":1} | did you mean 'wait_time_seconds'?
      POST | /mailboxes/jobs/ack | {} | '''receipt_handle'' is missing'
      POST | /mailboxes/jobs/ack | {"receipt_handle":"x"} | receipt handle 'x' is malformed
      POST | /mailboxes/jobs/reject | {"receipt_handle":"a/b"} | '''error'' is missing'
      POST | /mailboxes/jobs/reply | {"receipt_handle":"a/b"} | '''body'' is missing'
      POST | /mailboxes/jobs/dead/revive | {"ids":[]} | '''ids'' must be a list of 1 to 1000 strings, not ''[]'''
      POST | /mailboxes/jobs/dead/revive | {"ids":"a"} | '''ids'' must be a list of 1 to 1000 strings'
      GET | /mailboxes/jobs/dead?limit=0 | '' | '''limit'' must be a whole number from 1 to 10000'
      GET | /mailboxes/jobs?names=1 | '' | there is no parameter
      """)
  @DisplayName("WI-11 an invalid call is 400 with what, which value, and what to do")
  void invalid(String method, String path, String body, String words) {
    Answer answer = service.call(method, path, body, "Content-Type", "application/json");

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains(words);
    assertThat(count("jobs")).isEqualTo(counted(0, 0, 0, 0));
  }

  @Test
  @DisplayName("A body is at most 256 KiB, and is stored unchanged; a caller without a token sees none")
  void bounds() throws Exception {
    Answer large = service.post("/mailboxes/large/messages", "{\"body\":\"" + "x".repeat(262_144) + "\"}");
    assertThat(large.status()).isEqualTo(413);
    assertThat(service.post("/mailboxes/large/messages", "{\"body\":\"" + "x".repeat(262_000) + "\"}").status())
        .isEqualTo(201);
    assertThat(service.post("/mailboxes/large/receive", "").body()).contains("x".repeat(262_000));
    assertThat(service.send(service.request("/mailboxes").build()).status()).isEqualTo(401);
  }

  @Test
  @DisplayName("WI-11 WI-B8 a waiter gets the first message when it is sent, and nothing at its timeout")
  void waits() {
    CompletableFuture<Answer> waiting = service.later("/mailboxes/waits/receive",
        "{\"wait_time_seconds\":600,\"max_messages\":10}");
    send("waits", "w1", "1");
    assertThat(waiting.join().body()).contains("\"id\":\"w1\"");
    assertThat(data(service.post("/mailboxes/waits/receive", "{\"wait_time_seconds\":1}")))
        .isEqualTo("{\"messages\":[]}");
  }

  @Test
  @DisplayName("WI-11 a withdrawn request answers with no message; one that does not wait is 404")
  void withdrawn() {
    CompletableFuture<Answer> waiting = service.later("/mailboxes/gone/receive",
        "{\"wait_time_seconds\":600,\"request_id\":\"q1\"}");
    Await.until("it can be withdrawn",
        () -> service.call("DELETE", "/mailboxes/gone/waiters/q1", "").status() == 200);

    assertThat(data(waiting.join())).isEqualTo("{\"messages\":[]}");
    Answer late = service.call("DELETE", "/mailboxes/gone/waiters/q1", "");
    assertThat(late.status()).isEqualTo(404);
    assertThat(late.body()).contains("\"error\":\"not_waiting\"");
    send("gone", "g1", "1");
    assertThat(count("gone")).isEqualTo(counted(1, 0, 0, 0));
  }

  /** A client that waits until it is closed; its wait may not have begun yet. */
  private Socket client(String url, String mailbox, String requestId) throws IOException {
    String body = "{\"wait_time_seconds\":600,\"request_id\":\"" + requestId + "\"}";
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), URI.create(url).getPort());
    socket.getOutputStream().write(("POST /mailboxes/" + mailbox + "/receive HTTP/1.1\r\nHost: localhost\r\n"
        + "Authorization: Bearer " + service.token() + "\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  /** Detected by a later request for the same mailbox, which can be withdrawn. */
  private void awaitWaiting(String mailbox) throws IOException {
    try (Socket later = client(service.url(), mailbox, "later")) {
      Await.until("requests of before wait",
          () -> service.call("DELETE", "/mailboxes/" + mailbox + "/waiters/later", "").status() == 200);
      assertThat(later.getInputStream().read()).isEqualTo('H');
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @DisplayName("WI-B8 a client that disconnects while it waits is leased nothing, and the message is not counted "
      + "as delivered")
  void goneClient(int clients) throws IOException {
    String mailbox = "left-" + clients;
    for (int i = 0; i < clients; i++) {
      // Without a proxy, which closes its own connection some time after the client.
      try (Socket leaves = client(service.urlOfHost(i), mailbox, "leaves" + i)) {
        awaitWaiting(mailbox);
        assertThat(leaves.getInputStream().available()).isZero();
      }
    }
    CompletableFuture<Answer> stays = service.later("/mailboxes/" + mailbox + "/receive",
        "{\"wait_time_seconds\":600}");
    awaitWaiting(mailbox);

    send(mailbox, "one-" + clients, "1");

    assertThat(stays.join().body()).contains("\"id\":\"one-" + clients, "\"delivery_count\":1");
    assertThat(count(mailbox)).isEqualTo(counted(0, 1, 0, 0));
  }

  @Test
  @DisplayName("WI-11 a stopping service answers its waiters, without messages, and leases nothing more")
  void closing(@TempDir Path home) {
    CompletableFuture<Answer> waiting;
    try (TestService other = new TestService(home)) {
      waiting = other.later("/mailboxes/jobs/receive", "{\"wait_time_seconds\":600,\"request_id\":\"q1\"}");
      Await.until("the first one waits", () -> CallsThatWait.at(other) == 1);
      CompletableFuture<Answer> second = other.later("/mailboxes/jobs/receive",
          "{\"wait_time_seconds\":600,\"request_id\":\"q2\"}");
      Await.until("the second one waits",
          () -> other.call("DELETE", "/mailboxes/jobs/waiters/q2", "").status() == 200);
      assertThat(data(second.join())).isEqualTo("{\"messages\":[]}");
    }
    assertThat(data(waiting.join())).isEqualTo("{\"messages\":[]}");
  }
}

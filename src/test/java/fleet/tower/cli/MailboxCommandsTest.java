package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;

class MailboxCommandsTest {
  private final TestHome home;

  MailboxCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  private Outcome mailbox(String line) {
    return home.tower("mailbox " + line);
  }

  /** The receipt of the only available message. */
  private String receive(String line) {
    Outcome received = mailbox("receive " + line);
    assertThat(received.exit()).as(received.err()).isZero();
    return received.out().split(" ", 2)[0];
  }

  private void expire(String mailbox) {
    Await.until("the lease runs out", () -> counts(mailbox).startsWith("1 0"));
  }

  /** Ready, leased, delayed, dead. */
  private String counts(String mailbox) {
    JsonObject count = mailbox("count " + mailbox + " --json").data();
    return count.integer("ready").orElseThrow() + " " + count.integer("leased").orElseThrow() + " "
        + count.integer("delayed").orElseThrow() + " " + count.integer("dead").orElseThrow();
  }

  @Test
  @DisplayName("WI-10 WI-12 WI-13 a message is sent, leased with a receipt and its count, extended, and acknowledged")
  void lives() {
    assertThat(home.run("mailbox", "send", "jobs", "build web", "--id", "m1"))
        .isEqualTo(new Outcome(0, "m1\n", "message m1 is in mailbox jobs\n"));
    Outcome received = mailbox("receive jobs --visibility 1m");
    assertThat(received.exit()).isZero();
    assertThat(received.out()).matches("m1/\\S+ build web\n");
    assertThat(received.err()).matches("message m1 is yours until \\S+Z \\(delivery 1\\)\n");
    String receipt = received.out().split(" ", 2)[0];
    assertThat(counts("jobs")).isEqualTo("0 1 0 0");

    assertThat(mailbox("extend jobs " + receipt + " --visibility 2h").err())
        .matches("message m1 is yours until \\S+Z\n");
    assertThat(mailbox("extend jobs --json --receipt-handle " + receipt).data().integer("remaining_seconds")
        .orElseThrow()).as("never shorter").isGreaterThan(7000);
    assertThat(mailbox("ack jobs " + receipt)).isEqualTo(new Outcome(0, "", "message m1 acknowledged\n"));
    assertThat(counts("jobs")).isEqualTo("0 0 0 0");
    Outcome none = mailbox("receive jobs");
    assertThat(none).isEqualTo(new Outcome(3, "", "no message is available\n"));
    Outcome noneAsJson = mailbox("receive jobs --wait 60ms --json");
    assertThat(noneAsJson.exit()).isEqualTo(3);
    assertThat(noneAsJson.out()).isEqualTo(
        "{\"schema_version\":\"v1\",\"success\":true,\"data\":{\"messages\":[]}}\n");
  }

  @Test
  @DisplayName("WI-12 the JSON of a delivery has everything that a worker needs; up to ten at once, in sending order")
  void asJson() {
    home.run("mailbox", "send", "jobs", "{\"app\": \"web\",\n \"n\": 1.50}", "--id", "m1", "--reply-to", "answers");
    home.run("mailbox", "send", "jobs", "[1]", "--id", "m2", "--text");
    home.run("mailbox", "send", "jobs", "two\nlines", "--id", "m3");

    JsonObject data = mailbox("receive jobs --max-messages 99 --json").data();

    assertThat(TestHome.texts(data, "messages", "id")).containsExactly("m1", "m2", "m3");
    assertThat(data.raw().replaceAll("\\d{4}-\\S+?Z", "TIME").replaceAll("/\\w+", "/R")).startsWith(
        "{\"messages\":[{\"id\":\"m1\",\"mailbox\":\"jobs\",\"body\":{\"app\": \"web\",  \"n\": 1.50},"
            + "\"enqueued_at\":\"TIME\",\"reply_to\":\"answers\",\"receipt_handle\":\"m1/R\",\"delivery_count\":1,"
            + "\"visible_at\":\"TIME\"},{")
        .contains("\"body\":\"[1]\"", "\"body\":\"two\\nlines\"");
  }

  @Test
  @DisplayName("WI-12 one line for each message: the receipt, a space, the body; JSON on one line, text unchanged")
  void asLines() {
    home.run("mailbox", "send", "jobs", "{\"app\": \"web\",\n \"n\": 1}", "--reply-to", "answers");
    home.run("mailbox", "send", "jobs", "two\nlines 42");

    Outcome received = mailbox("receive jobs --max-messages 10");

    assertThat(received.out().lines().map(line -> line.replaceFirst("^\\S+/\\S+ ", "")))
        .containsExactly("{\"app\": \"web\",  \"n\": 1}", "two\\nlines 42");
    assertThat(received.err()).contains("(delivery 1); answers expects the reply\n");
  }

  @Test
  @DisplayName("WI-B2 WI-13 an old receipt is exit 6 for every command, with the reason and the next step")
  void oldReceipt() {
    mailbox("send jobs a --id m1 --reply-to answers");
    String first = receive("jobs --visibility 1s");
    expire("jobs");
    Outcome late = mailbox("ack jobs " + first);
    assertThat(late).isEqualTo(new Outcome(6, "",
        """
            tower: message m1 is no longer yours: receipt handle expired
              stop working on it; another worker may receive it; receive with a longer visibility \
            timeout, or extend it while you work
            """));
    String second = receive("jobs --visibility 1h");
    for (String line : List.of("ack jobs R", "nack jobs R", "extend jobs R", "reply jobs R late",
        "reject jobs R --error no")) {
      Outcome refused = mailbox(line.replace("R", first) + " --json");
      assertThat(refused.exit()).as(line).isEqualTo(6);
      assertThat(refused.errorCode()).as(line).isEqualTo("receipt_handle_expired");
      assertThat(refused.context().text("reason")).as(line).hasValue("passed_on");
    }
    assertThat(mailbox("ack answers " + second + " --json").context().text("reason")).hasValue("gone");
    assertThat(mailbox("ack jobs " + second).exit()).isZero();
    assertThat(mailbox("ack jobs " + second).err()).contains("acknowledged or purged");
    assertThat(counts("answers")).as("no late answer").isEqualTo("0 0 0 0");
  }

  @Test
  @DisplayName("WI-14 a reply and the acknowledgement are one step; --more allows further replies; without a "
      + "reply_to it is rejected")
  void replies() {
    mailbox("send jobs question --id q --reply-to answers");
    String receipt = receive("jobs");
    Outcome progress = mailbox("reply jobs " + receipt + " half --more");
    assertThat(progress.err()).matches("reply msg_\\w+ is in mailbox answers, and message q is still yours\n");
    Outcome last = mailbox("reply jobs --receipt-handle " + receipt + " {\"done\":true}");
    assertThat(last.err()).matches("reply msg_\\w+ is in mailbox answers, and message q is acknowledged\n");
    assertThat(last.out()).matches("msg_\\w+\n");
    assertThat(counts("jobs") + ", " + counts("answers")).isEqualTo("0 0 0 0, 2 0 0 0");
    JsonObject answers = mailbox("receive answers --max-messages 2 --json").data();
    assertThat(TestHome.texts(answers, "messages", "in_reply_to")).containsExactly("q", "q");

    mailbox("send jobs alone --id alone");
    String alone = receive("jobs");
    Outcome nowhere = mailbox("reply jobs " + alone + " answer");
    assertThat(nowhere).isEqualTo(new Outcome(1, "", """
        tower: message alone was sent without a reply_to
          acknowledge it without a reply: tower mailbox ack jobs RECEIPT
        """.replace("RECEIPT", alone)));
    assertThat(mailbox("ack jobs " + alone).exit()).isZero();
  }

  @Test
  @DisplayName("WI-13 WI-15 a returned message is offered again, at once or later, in its old position; dead "
      + "letters show the reason")
  void givenBack() {
    mailbox("send jobs a --id a");
    mailbox("send jobs b --id b");
    assertThat(mailbox("nack jobs " + receive("jobs")).err()).startsWith("message a is available again from ");
    assertThat(receive("jobs")).startsWith("a/");
    mailbox("purge jobs");

    mailbox("send jobs c --id c");
    mailbox("nack jobs " + receive("jobs") + " --delay 1h --error weather");
    assertThat(counts("jobs")).isEqualTo("0 0 1 0");
    assertThat(mailbox("receive jobs").exit()).isEqualTo(3);
    assertThat(mailbox("count").out()).isEqualTo("""
        MAILBOX  MESSAGES  READY  LEASED  DELAYED  DEAD
        jobs     1         0      0       1        0
        """);
    assertThat(mailbox("count --names").out()).isEqualTo("jobs\n");
    assertThat(mailbox("purge jobs")).isEqualTo(new Outcome(0, "1\n", "1 message of mailbox jobs deleted\n"));
    assertThat(mailbox("count").out()).isEqualTo("no mailboxes\n");
    assertThat(mailbox("count --names").out()).isEmpty();
    assertThat(home.audit()).last().asString().contains("\"event\":\"mailbox_purged\"", "\"actor\":\"alice\"",
        "\"messages\":1");
  }

  @Test
  @DisplayName("WI-17 WI-B6 a message delivered too often or rejected is a dead letter: listed, revived by name "
      + "or all, purged; each audited")
  void dead() {
    mailbox("send jobs poison --id poison");
    mailbox("nack jobs " + receive("jobs --max-deliveries 1") + " --error boom");
    assertThat(mailbox("receive jobs --max-deliveries 1").exit()).isEqualTo(3);
    home.run("mailbox", "send", "jobs", "useless", "--id", "useless");
    assertThat(home.run("mailbox", "reject", "jobs", receive("jobs"), "--error", "no such app").err())
        .isEqualTo("message useless is a dead letter\n");

    Outcome dead = mailbox("dead jobs");
    assertThat(dead.out().lines()).satisfiesExactly(
        header -> assertThat(header).matches("MESSAGE +CAUSE +DELIVERIES +DEAD SINCE +LAST ERROR +BODY"),
        row -> assertThat(row).matches("poison +too_many_deliveries +1 +\\S+Z +boom +\"poison\""),
        row -> assertThat(row).matches("useless +rejected +1 +\\S+Z +no such app +\"useless\""));
    assertThat(dead.err()).contains("tower mailbox dead jobs --revive");
    assertThat(TestHome.texts(mailbox("dead jobs --limit 1 --json").data(), "dead_letters", "id"))
        .containsExactly("poison");
    Outcome missing = mailbox("dead jobs --revive useless nobody");
    assertThat(missing).isEqualTo(new Outcome(3, "", """
        tower: mailbox jobs has no dead letter nobody that could be delivered; nothing was revived
          see its dead letters: tower mailbox dead jobs
        """));
    assertThat(counts("jobs")).isEqualTo("0 0 0 2");
    assertThat(mailbox("dead jobs --revive useless"))
        .isEqualTo(new Outcome(0, "1\n", "1 dead letter of mailbox jobs revived\n"));
    assertThat(mailbox("dead jobs --revive --actor bob --json").data().integer("revived")).hasValue(1);
    JsonObject again = mailbox("receive jobs --max-messages 2 --max-deliveries 1 --json").data();
    assertThat(TestHome.texts(again, "messages", "id")).containsExactly("poison", "useless");
    assertThat(again.raw()).contains("\"delivery_count\":1").doesNotContain("\"delivery_count\":2");

    assertThat(mailbox("dead jobs").out()).isEqualTo("no dead letters\n");
    mailbox("send other x");
    mailbox("reject other " + receive("other") + " --error no");
    assertThat(mailbox("dead other --purge").out()).isEqualTo("1\n");
    assertThat(home.events()).containsExactly("message_dead", "message_dead", "mailbox_revived", "mailbox_revived",
        "message_dead", "mailbox_purged");
    assertThat(home.audit().get(3)).contains("\"actor\":\"bob\"", "\"message_ids\":[]");
  }

  @Test
  @DisplayName("WI-10 an id is sent once with one content; a full mailbox rejects; exit 1 and 69")
  void sameId() {
    assertThat(mailbox("send jobs a --id m1 --max-size 1").exit()).isZero();
    assertThat(mailbox("send jobs a --id m1 --max-size 1")).isEqualTo(new Outcome(0, "m1\n",
        "message m1 was already sent to mailbox jobs; nothing was done\n"));
    Outcome taken = mailbox("send jobs b --id m1 --json");
    assertThat(taken.exit()).isEqualTo(1);
    assertThat(taken.errorCode()).isEqualTo("message_exists");
    Outcome full = mailbox("send jobs b --max-size 1");
    assertThat(full).isEqualTo(new Outcome(69, "", """
        tower: mailbox jobs already has its maximum of 1 message
          send it again when there is room: tower mailbox send jobs b --max-size 1
        """));
    assertThat(counts("jobs")).isEqualTo("1 0 0 0");
  }

  @Test
  @DisplayName("A body comes from an operand, a file or standard input, without its last newline")
  void bodies() throws IOException {
    Path file = home.root().resolveSibling("body");
    Files.writeString(file, "from a file\n\n");
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream("[1, 2]\r\n".getBytes(StandardCharsets.UTF_8)));
      home.run("mailbox", "send", "jobs", "--body-file", file.toString());
      mailbox("send jobs -");
    } finally {
      System.setIn(before);
    }
    JsonObject received = mailbox("receive jobs --max-messages 2 --json").data();
    assertThat(received.raw()).contains("\"body\":\"from a file\\n\"", "\"body\":[1, 2]");

    Files.write(file, new byte[]{(byte) 0xff, (byte) 0xfe});
    assertThat(home.run("mailbox", "send", "jobs", "--body-file", file.toString()).err())
        .contains("is not UTF-8 text");
    Files.writeString(file, "x".repeat(300_000));
    assertThat(home.run("mailbox", "send", "jobs", "--body-file", file.toString()).err())
        .contains("has more than 262144 bytes");
    assertThat(counts("jobs")).isEqualTo("0 2 0 0");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      send jobs | the body is missing: give it as an operand, with --body-file FILE, or - for standard input
      send jobs a --body-file b | the body is given twice, as 'a' and with --body-file
      send jobs {"a": | the body starts like JSON but is invalid
      send jobs --body-file /nowhere | there is no file /nowhere
      send Jobs a | did you mean 'jobs'?
      send jobs a --max-size 0 | --max-size must be a whole number from 1 to 100000, not '0'
      send jobs a --id ? | message id '?' must have 1 to 128
      send jobs a --replyto b | there is no option --replyto; did you mean --reply-to?
      receive jobs --max-messages 0 | --max-messages must be a whole number from 1 on, not '0'
      receive jobs --visibility 13h | must be a time span of whole seconds from 0s to 12h, such as 90s, 15m or 8h, not '13h'
      receive jobs --visibility 10ms | must be a time span of whole seconds from 0s to 12h, such as 90s, 15m or 8h, not '10ms'
      receive jobs --wait 2h | --wait must be a time span from 0s to 1h, such as 90s, 15m or 8h, not '2h'
      receive jobs --max-deliveries 0 | --max-deliveries must be a whole number from 1 to 1000, not '0'
      ack jobs | RECEIPT is missing: the receipt of the message, which has it as receipt_handle
      ack jobs m1 | receipt handle 'm1' is malformed; pass the complete receipt_handle of the received message
      ack jobs a/b --receipt-handle a/b | is one argument too many; RECEIPT is given as --receipt-handle
      reject jobs a/b | --error is required
      reply jobs a/b | the body is missing
      dead jobs --revive --purge | give only one
      dead jobs m1 | only --revive takes message ids
      dead jobs --limit 0 | --limit must be a whole number from 1 to 10000, not '0'
      recieve jobs | did you mean `tower mailbox receive`?
      """)
  @DisplayName("WI-11 an invalid command line is rejected with what, which value, and what to do; nothing is touched")
  void mistakes(String line, String words) {
    Outcome outcome = mailbox(line);

    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains(words);
    assertThat(home.root().resolve("state")).doesNotExist();
  }

  @Test
  @DisplayName("Queries in a home without mailboxes create no database")
  void queriesChangeNothing() {
    assertThat(mailbox("count").out()).isEqualTo("no mailboxes\n");
    assertThat(mailbox("count jobs").out()).endsWith("jobs     0         0      0       0        0\n");
    assertThat(mailbox("dead jobs").out()).isEqualTo("no dead letters\n");
    assertThat(mailbox("receive jobs --wait 10ms").exit()).isEqualTo(3);
    assertThat(home.root().resolve("state/tower.db")).doesNotExist();
  }

  @Test
  @DisplayName("WI-17 doctor reports mailboxes with dead letters, and messages left unreceived for a day")
  void doctor() throws SQLException {
    mailbox("send jobs a");
    assertThat(home.tower("doctor").out()).containsPattern("ok +mailboxes +1 in use, no dead letters");
    mailbox("reject jobs " + receive("jobs") + " --error no");
    mailbox("send old b");
    mailbox("send old c");
    mailbox("nack old " + receive("old") + " --delay 1h");
    try (var database = DriverManager.getConnection("jdbc:sqlite:" + home.root().resolve("state/tower.db"));
        var statement = database.createStatement()) {
      statement.execute("UPDATE mailbox_messages SET visible_at = visible_at - 86400001 WHERE mailbox = 'old'");
    }
    assertThat(home.tower("doctor").out()).containsPattern("warn +mailboxes +dead letters: jobs 1\n")
        .contains("tower mailbox dead jobs")
        .containsPattern("warn +mailboxes +messages not received for a day: old 1\n")
        .contains("tower mailbox purge old");
  }

  @Test
  @DisplayName("A full mailbox refuses a message with 69 until there is room, and the doctor warns")
  void full() {
    home.with("TOWER_MAILBOXES_MAX_MESSAGES", "1");
    mailbox("send jobs a");
    Outcome refused = mailbox("send jobs b");
    assertThat(refused.exit()).isEqualTo(69);
    assertThat(refused.err()).contains("mailbox jobs has as many messages and dead letters as a mailbox may have: 1",
        "send it again when there is room: tower mailbox send jobs b");
    assertThat(mailbox("send jobs b --json").out()).contains("\"mailbox_full\"");
    assertThat(home.tower("doctor").out())
        .containsPattern("warn +largest mailboxes +jobs 1 messages \\(100 %\\), 3 bytes");
    assertThat(mailbox("ack jobs " + receive("jobs")).exit()).isZero();
    assertThat(mailbox("send jobs b").exit()).isZero();
  }

  @Test
  @DisplayName("Help lists the group and the arguments of each command")
  void help() {
    assertThat(mailbox("--help").out()).contains("usage: tower mailbox COMMAND", "\n  send ", "\n  receive ",
        "\n  dead ");
    assertThat(mailbox("receive --help").out()).contains("--wait [D]", "Exit code 3 if there is none");
    assertThat(mailbox("--json").json().get("success")).isInstanceOf(JsonValue.Bool.class);
  }
}

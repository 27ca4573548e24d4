package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

class MailboxRemoteTest {
  /** R stands for the receipt that was received last. */
  private static final String[] SESSION = {"count", "count jobs", "send jobs one --id m1 --reply-to answers",
      "send jobs one --id m1 --reply-to answers", "send jobs other --id m1", "send jobs {\"app\":\"web\"} --id m2",
      "send jobs three --id m3 --max-size 2", "count", "count --names", "receive jobs --visibility 1h",
      "extend jobs R --visibility 2h", "extend jobs R", "reply jobs R half --more", "ack answers R", "ack jobs nothing",
      "nack jobs R --error boom", "ack jobs R", "receive jobs --visibility 1h --wait 5s", "reply jobs R {\"n\":1}",
      "reply jobs R late", "receive jobs --max-messages 5 --visibility 1h", "reply jobs R nowhere",
      "reject jobs R --error useless", "dead jobs", "dead jobs --limit 1", "dead jobs --revive m2 nobody",
      "dead jobs --revive m2", "receive jobs --visibility 1h", "nack jobs R --delay 1h", "count jobs", "receive jobs",
      "receive jobs --wait 50ms", "purge jobs", "dead jobs --purge", "dead jobs --revive", "dead jobs", "send Jobs x",
      "receive answers --max-messages 3", "count"};

  @Test
  @DisplayName("Through a service every mailbox command prints exactly what it prints on the home's database")
  void sameWords(@TempDir Path directory) {
    TestHome here = new TestHome(directory.resolve("here"));
    Map<TestHome, String> receipts = new HashMap<>();
    try (TestService service = new TestService(directory.resolve("service"))) {
      TestHome elsewhere = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
          .with("TOWER_TOKEN", service.token());
      for (String line : SESSION) {
        Outcome local = run(here, line, receipts);
        Outcome remote = run(elsewhere, line, receipts);
        assertThat(stable(remote)).as(line).isEqualTo(stable(local));
        if (line.matches("(count|dead|extend|ack).*")) {
          Outcome localJson = run(here, line + " --json", receipts);
          Outcome remoteJson = run(elsewhere, line + " --json", receipts);
          assertThat(remoteJson.exit()).as(line).isEqualTo(localJson.exit());
          if (localJson.out().contains("\"success\":true")) {
            assertThat(stable(remoteJson)).as(line).isEqualTo(stable(localJson));
          } else {
            assertThat(remoteJson.errorCode()).as(line).isEqualTo(localJson.errorCode());
            assertThat(remoteJson.context().members().keySet()).as(line)
                .containsAll(localJson.context().members().keySet());
          }
        }
      }
    }
    assertThat(new TestHome(directory.resolve("elsewhere")).isUntouched()).isTrue();
  }

  private static Outcome run(TestHome home, String line, Map<TestHome, String> receipts) {
    Outcome outcome = home.tower("mailbox " + line.replace(" R", " " + receipts.getOrDefault(home, "")));
    if (line.startsWith("receive") && outcome.exit() == 0) {
      receipts.put(home, outcome.out().split(" ", 2)[0]);
    }
    return outcome;
  }

  private static Outcome stable(Outcome outcome) {
    return new Outcome(outcome.exit(), stable(outcome.out()), stable(outcome.err()));
  }

  private static String stable(String text) {
    return text.replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:]{8}Z", "TIME").replaceAll("req_\\w+", "DELIVERY")
        .replaceAll("msg_\\w+", "ID").replaceAll("\"remaining_seconds\":\\d+", "REMAINING");
  }
}

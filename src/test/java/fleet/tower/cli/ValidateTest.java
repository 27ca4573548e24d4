package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

@DisplayName("tower validate reports problems of intents with their location")
class ValidateTest {
  private static final String GOOD = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: good, version: 1.0.0 }
      spec:
        mode: observe
        steps: [{ name: one, run: [echo] }]
      """;

  private final TestHome home;
  private final Path intents;

  ValidateTest(@TempDir Path directory) throws IOException {
    home = new TestHome(directory.resolve("home"));
    intents = Files.createDirectories(home.root().resolve("intents"));
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(intents.resolve(name), text).toString();
  }

  @Test
  @DisplayName("All intents of the home: exit 0 without problems or with only warnings, exit 1 with an error")
  void home() throws IOException {
    assertThat(home.tower("validate")).isEqualTo(
        new Outcome(0, "", "valid intents: 0 in " + intents + "; errors: 0; warnings: 0\n"));
    write("good.yaml", GOOD);
    String doubtful = write("short.yaml",
        GOOD.replace("name: good", "name: short") + "  timeouts: { lock_ttl: 3 }\n");
    Outcome warned = home.tower("validate");
    assertThat(warned.exit()).isZero();
    assertThat(warned.out())
        .isEqualTo(
            doubtful
                + ":7:25: warning: a lock with a ttl of 3 s expires during a short pause of the host; use 30 or more\n");
    String bad = write("bad.yaml", GOOD.replace("observe", "observer"));
    Outcome wrong = home.tower("validate");
    assertThat(wrong.exit()).isEqualTo(1);
    assertThat(wrong.out()).startsWith(bad + ":3:19: is 'good', but the file is named bad.yaml")
        .contains(bad + ":5:9: must be one of observe, mutate, reconcile (did you mean observe?), not 'observer'\n");
    assertThat(wrong.err()).isEqualTo("valid intents: 2 in " + intents + "; errors: 2; warnings: 1\n");
  }

  @Test
  @DisplayName("Any number of named files, anywhere; a missing one is exit 3")
  void files() throws IOException {
    String good = write("good.yaml", GOOD);
    String bad = write("bad.yaml", "");
    assertThat(home.run("validate", good))
        .isEqualTo(new Outcome(0, "", "valid intents: 1 of 1; errors: 0; warnings: 0\n"));
    Outcome both = home.run("validate", bad, "--json", good);
    assertThat(both.exit()).isEqualTo(1);
    assertThat(both.data().raw()).isEqualTo("{\"valid\":false,\"errors\":1,\"warnings\":0,\"complaints\":[{\"file\":\""
        + bad + "\",\"line\":1,\"column\":1,\"severity\":\"error\",\"intent\":\"bad\","
        + "\"message\":\"is empty; an intent begins with apiVersion: tower-fleet/intent/v1\"}]}");
    Outcome missing = home.run("validate", good, intents.resolve("none.yaml").toString());
    assertThat(missing.exit()).isEqualTo(3);
    assertThat(missing.err()).isEqualTo("tower: there is no file " + intents.resolve("none.yaml") + "\n");
    assertThat(home.tower("validate --fast").exit()).isEqualTo(64);
    assertThat(home.tower("validate --help").out()).startsWith("usage: tower validate [FILE...] [--json]\n");
  }
}

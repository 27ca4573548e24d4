package fleet.tower.access.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;

@Timeout(300)
@DisplayName("tower token in concurrent processes")
@ProofsProfile
class TokenProcessTest {
  private static final int WRITERS = 12;
  private static final int KILLED = 8;
  private static final int IN_THE_MIDDLE = 2;
  private static final int MOST_KILLED = 200;
  private final Installation tower;
  private final Path config;

  TokenProcessTest(@TempDir Path directory) {
    tower = new Installation(directory);
    config = tower.home().resolve("config");
  }

  private Process creating(String name) throws IOException {
    return tower.start(List.of(tower.launcher().toString(), "token", "create", name, "--role", "agent"),
        tower.root().resolve(name + ".out"), tower.root().resolve(name + ".err"));
  }

  /** The names in the file, read as a service would; none occurs twice. */
  private List<String> names() {
    TestHome home = new TestHome(tower.home());
    return TestHome.texts(home.run("token", "list", "--json").data(), "tokens", "name");
  }

  private List<Path> leftovers() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(config, ".tokens*.new")) {
      List<Path> found = new ArrayList<>();
      files.forEach(found::add);
      return found;
    } catch (IOException notYetThere) {
      return List.of();
    }
  }

  /** Waits until the writer has created its file, or has ended. */
  private void awaitLeftover(WatchService watch, Process writer, List<Path> before) throws InterruptedException {
    while (writer.isAlive() && before.containsAll(leftovers())) {
      WatchKey key = watch.poll(50, TimeUnit.MILLISECONDS);
      if (key != null) {
        key.pollEvents();
        key.reset();
      }
    }
  }

  @Test
  @DisplayName("Many concurrent writers lose no token")
  void together() throws Exception {
    List<Process> writers = new ArrayList<>();
    List<String> given = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      given.add("w" + i);
      writers.add(creating("w" + i));
    }
    for (Process writer : writers) {
      assertThat(writer.waitFor()).isZero();
    }

    assertThat(names()).containsExactlyInAnyOrderElementsOf(given);
    assertThat(given).allSatisfy(name -> {
      String digest = fleet.tower.service.web.access.TestTokens
          .sha256(TestHome.text(tower.root().resolve(name + ".out")).strip());
      assertThat(config.resolve("tokens.yaml")).content().contains("name: \"" + name + "\"\n  role: agent\n  sha256: "
          + digest);
    });
    assertThat(new TestHome(tower.home()).audit()).hasSize(WRITERS)
        .allSatisfy(line -> assertThat(line).contains("\"event\":\"token_created\""));
  }

  @Test
  @DisplayName("A writer that is killed leaves the file intact, blocks no other, and the next one removes its "
      + "leftovers")
  void killed() throws Exception {
    TreeSet<String> told = new TreeSet<>(List.of("first"));
    assertThat(creating("first").waitFor()).isZero();
    int inTheMiddle = 0;
    try (WatchService watch = config.getFileSystem().newWatchService()) {
      config.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      // The file exists for about a millisecond; a busy machine gets more tries.
      for (int i = 0; i < KILLED || (inTheMiddle < IN_THE_MIDDLE && i < MOST_KILLED); i++) {
        String name = "k" + i;
        List<Path> before = leftovers();
        Process writer = creating(name);
        awaitLeftover(watch, writer, before);
        // At once: the search for other processes would take longer than the writer needs.
        boolean isKilled = writer.destroyForcibly().waitFor() != 0;
        inTheMiddle += before.containsAll(leftovers()) ? 0 : 1;
        if (!isKilled) {
          told.add(name);
        }
        // A process that is killed after the rename has created the token and could not report it.
        assertThat(names()).startsWith("first").containsAll(told).doesNotHaveDuplicates();
      }
    }
    assertThat(inTheMiddle).as("killed while its file was incomplete").isGreaterThanOrEqualTo(IN_THE_MIDDLE);

    Process next = creating("last");
    assertThat(Await.exitOf(next)).isZero();
    assertThat(names()).startsWith("first").endsWith("last").containsAll(told);
    assertThat(leftovers()).isEmpty();
  }

  @Test
  @DisplayName("On a full disk tokens can be revoked one after the other, and none can be created")
  void fullDisk() throws Exception {
    Path home = Files.createDirectories(tower.home());
    String script = """
        mount -t tmpfs -o size=1m,mode=700 none "$1" || exit 99
        mkdir "$1/config" "$1/intents"
        for name in ann bob carol; do "$2" token create $name --role agent >/dev/null 2>&1; done
        cat /dev/zero >"$1/ballast" 2>/dev/null
        "$2" token create dave --role agent >/dev/null 2>&1; echo "dave $?"
        for name in bob ann; do "$2" token revoke $name 2>/dev/null; echo "$name $?"; cat /dev/zero >>"$1/ballast"; done 2>/dev/null
        cat "$1/config/tokens.yaml"
        ls -A "$1/config"
        """;
    Installation.Result result = tower
        .run(List.of("unshare", "-m", "sh", "-c", script, "sh", home.toString(), tower.launcher().toString()));
    Assumptions.assumeTrue(result.exit() != 99 && !result.err().contains("unshare"),
        "no mount namespace can be made here");

    assertThat(result.out()).startsWith("dave 69\nbob 0\nann 0\n").contains("name: \"carol\"")
        .doesNotContain("name: \"ann\"", "name: \"bob\"", "name: \"dave\"")
        .endsWith(".tokens.guard\n.tokens.reserve\ntokens.yaml\n");
  }
}

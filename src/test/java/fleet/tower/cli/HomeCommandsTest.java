package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SortedMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

@DisplayName("tower init creates a home, tower home shows the current one")
class HomeCommandsTest {
  private final Path directory;
  private final TestHome tower;

  HomeCommandsTest(@TempDir Path directory) {
    this.directory = directory;
    this.tower = new TestHome(directory.resolve("home"));
  }

  private Path fresh() {
    return directory.resolve("fresh");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  @DisplayName("init creates a complete home without access for others; a second init changes nothing and reports that")
  void init() throws IOException {
    Outcome first = tower.run("init", fresh().toString());
    SortedMap<String, String> made = new TestHome(fresh()).snapshot();
    Outcome second = tower.run("init", fresh().toString(), "--json");

    assertThat(first)
        .isEqualTo(new Outcome(0, fresh() + "\n", "created logs/, logs/locks/, state/, config/, .gitignore,"
            + " intents/, intents/hello.yaml; use it with TOWER_HOME=" + fresh() + ", or from any directory in it\n"));
    for (String name : List.of("", "logs", "logs/locks", "state", "config", "intents")) {
      assertThat(mode(fresh().resolve(name))).as(name).isEqualTo("rwx------");
    }
    assertThat(second.data().raw()).isEqualTo("{\"home\":\"" + fresh() + "\",\"created\":[]}");
    assertThat(tower.run("init", fresh().toString()).err()).isEqualTo("already a home; nothing was changed\n");
    assertThat(new TestHome(fresh()).snapshot()).isEqualTo(made);
  }

  @Test
  @DisplayName("The example intent of a new home is valid without a warning, can be planned and run, and rolls back")
  void example() {
    tower.with("TOWER_HOME", fresh().toString()).tower("init");

    assertThat(tower.tower("validate").err()).endsWith("valid intents: 1 in " + fresh()
        + "/intents; errors: 0; warnings: 0\n");
    assertThat(tower.tower("plan hello -p name=Ada").exit()).isZero();
    assertThat(tower.tower("run hello -p name=Ada").exit()).isZero();
    assertThat(fresh().resolve("state/hello.txt")).hasContent("hello Ada");
    assertThat(tower.tower("run hello -p fail=true").exit()).isEqualTo(1);
    assertThat(fresh().resolve("state/hello.txt")).doesNotExist();
    assertThat(tower.tower("doctor").out()).doesNotContain("fail ");
  }

  @Test
  @DisplayName("init adds missing files and changes no existing one; it adds no example to existing intents")
  void initAdds() throws IOException {
    Path intents = Files.createDirectories(fresh().resolve("intents"));
    Files.writeString(fresh().resolve(".gitignore"), "mine\n");
    Files.createDirectories(fresh().resolve("logs"));

    assertThat(tower.with("TOWER_HOME", fresh().toString()).tower("init --json").data().raw())
        .contains("\"created\":[\"logs/locks/\",\"state/\",\"config/\"]");
    assertThat(intents).isEmptyDirectory();
    assertThat(fresh().resolve(".gitignore")).hasContent("mine");
    assertThat(tower.tower("locks").exit()).isZero();
  }

  @Test
  @DisplayName("init rejects a file, and reports a place without write access")
  void initCannot() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");

    assertThat(tower.run("init", file.toString())).isEqualTo(
        new Outcome(64, "", "tower: " + file + " cannot become a home: it is not a directory\n"));
    assertThat(tower.run("init", file + "/below").exit()).isEqualTo(69);
  }

  @ParameterizedTest
  @ValueSource(strings = {"locks", "lock x", "guard x -- true", "run hello", "doctor", "audit", "gc", "validate",
      "token list", "task list", "mailbox count", "prime", "home", "unlock x --request-id r"})
  @DisplayName("A mistyped home is an error and is not created")
  void mistyped(String line) throws IOException {
    String suggestion = "\n  correct the path, or create a home there: tower init " + fresh() + "\n";

    assertThat(tower.with("TOWER_HOME", fresh().toString()).tower(line)).isEqualTo(new Outcome(64, "",
        "tower: " + fresh() + ", named by TOWER_HOME, is not a home: it does not exist" + suggestion));
    assertThat(fresh()).doesNotExist();

    Files.createDirectories(fresh().resolve("logs"));
    assertThat(tower.tower(line)).isEqualTo(new Outcome(64, "", "tower: " + fresh() + ", named by TOWER_HOME, is not a"
        + " home: it has no intents/ and no config/\n  correct the path, or make it a home: tower init " + fresh()
        + "\n"));
    assertThat(tower.run("--json", "--home", directory + "/home/", "locks").exit()).isZero();
  }

  @Test
  @DisplayName("serve initializes an empty directory or a partial home, and no other directory")
  void serve() throws IOException {
    Files.createDirectories(fresh().resolve("lost+found"));
    Files.createDirectories(fresh().resolve("config"));
    tower.with("TOWER_HOME", fresh().toString());
    assertThat(tower.tower("serve").exit()).isZero();
    assertThat(tower.tower("home").out()).isEqualTo(fresh() + "\n");

    Path mine = Files.createDirectories(directory.resolve("mine"));
    Files.writeString(mine.resolve("notes"), "");
    assertThat(tower.with("TOWER_HOME", mine.toString()).tower("serve").exit()).isEqualTo(64);
    assertThat(mine).isDirectoryContaining(it -> it.endsWith("notes")).isDirectoryNotContaining("glob:**/intents");
  }

  @Test
  @DisplayName("--home goes before or after the command name, overrides TOWER_HOME, and needs a value")
  void option() {
    Path other = new TestHome(directory.resolve("other")).root();

    for (String line : List.of("--home " + other + " home --json", "home --home " + other + " --json",
        "--json --home=" + other + " home", "home --json --home=" + other)) {
      assertThat(tower.tower(line).data().raw()).as(line).isEqualTo("{\"home\":\"" + other
          + "\",\"rule\":\"--home\",\"found_by\":\"named by --home\",\"store\":\"no program has used the locks of this home yet\"}");
    }
    assertThat(tower.tower("home")).isEqualTo(new Outcome(0, tower.root() + "\n",
        "named by TOWER_HOME\nno program has used the locks of this home yet\n"));
    assertThat(tower.tower("--home " + other + " lock x").exit()).isZero();
    assertThat(other.resolve("logs/locks/x.lock")).exists();
    assertThat(tower.tower("home --home").exit()).isEqualTo(64);
    assertThat(tower.tower("--home").exit()).isEqualTo(64);
    assertThat(tower.tower("home --home a --home b").exit()).isEqualTo(64);
    assertThat(tower.tower("--home " + directory + "/none home --json").errorCode()).isEqualTo("not_a_home");
  }
}

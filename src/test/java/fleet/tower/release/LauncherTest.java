package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;

/** Tests the real {@code bin/tower}, in a directory with a space in its name. */
class LauncherTest {
  private static final List<String> TOOLS = List.of("sh", "readlink", "stat", "cksum", "mkdir", "rmdir", "find", "nice",
      "mv",
      "rm",
      "cat", "mount", "true");
  private final Path directory;
  private final Installation tower;

  LauncherTest(@TempDir Path directory) {
    this.directory = directory;
    tower = Installation.apart(directory.resolve("a release"));
  }

  @Test
  @DisplayName("dash parses the launcher, and bash the lock manager")
  void syntax() {
    assertThat(tower.run(List.of("sh", "-n", "bin/tower"))).isEqualTo(new Result(0, "", ""));
    assertThat(tower.run(List.of("bash", "-n", "bin/tower"))).isEqualTo(new Result(0, "", ""));
    assertThat(tower.run(List.of("bash", "-n", "bin/lock-manager.sh"))).isEqualTo(new Result(0, "", ""));
    if (Files.isExecutable(Path.of("/usr/bin/dash"))) {
      assertThat(tower.run(List.of("dash", "-n", "bin/tower"))).isEqualTo(new Result(0, "", ""));
    }
  }

  @Test
  @DisplayName("A JDK 25 is found although JAVA_HOME and PATH have older ones")
  @ProofsProfile
  void findsJdk() throws Exception {
    Path old = tower.stubJdk("17.0.15");
    Path ancient = tower.stubJdk("1.8.0_392");
    tower.stubJdk("user/.sdkman/candidates/java/25", "25.0.3",
        "exec '" + System.getProperty("java.home") + "/bin/java' \"$@\"");
    tower.with("PATH", old.resolve("bin") + ":" + System.getenv("PATH"));

    assertThat(tower.with("JAVA_HOME", ancient.toString()).tower("version").out()).startsWith("tower 1.1.1 (");
    assertThat(tower.without("JAVA_HOME").tower("version").out()).startsWith("tower 1.1.1 (");
  }

  @Test
  @DisplayName("The service gets a small heap that may grow to its limit; a JDK that lacks one of our options also "
      + "starts")
  void options() throws Exception {
    tower.with("JAVA_HOME", tower.stubJdk("jdk", "25.0.3", "echo \"$@\"").toString());

    assertThat(tower.tower("serve").out()).contains(" -Xms64m -Xmn32m -Xmx512m -XX:+ExitOnOutOfMemoryError ")
        .contains("-XX:+UseTransparentHugePages", "-Djava.lang.invoke.MethodHandle.COMPILE_THRESHOLD=20")
        .containsSubsequence("-XX:+IgnoreUnrecognizedVMOptions", "-XX:ArchiveRelocationMode=0", "-jar");
    assertThat(tower.tower("check", "serve").out()).doesNotContain("-Xm").contains("-XX:ArchiveRelocationMode=0");
  }

  @Test
  @DisplayName("A JDK on PATH is used, and JAVA_HOME takes precedence")
  void prefersJavaHome() throws Exception {
    Path named = tower.stubJdk("26.0.1");
    tower.with("PATH", System.getProperty("java.home") + "/bin:" + System.getenv("PATH"));

    assertThat(tower.with("JAVA_HOME", named.toString()).tower("version"))
        .isEqualTo(new Result(99, "wrong java\n", ""));
    assertThat(tower.without("JAVA_HOME").tower("version").exit()).isZero();
  }

  @Test
  @DisplayName("No JDK 25 anywhere: exit 69, and one message that says how to get one")
  void noJdk() throws Exception {
    tower.with("PATH", toolsOnly().toString()).with("JAVA_HOME", tower.stubJdk("17.0.15").toString());
    List<String> hidden = List.of("/usr/bin/unshare", "-m", "/bin/sh", "-c",
        "for d in /usr/lib/jvm /opt/java; do if [ -d $d ]; then mount -t tmpfs none $d || exit 77; fi; done; exec \"$@\"",
        "sh");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/unshare")) && tower.run(with(hidden, "true")).exit() == 0,
        "the JDKs of this machine cannot be hidden from a process");

    Result result = tower.run(with(hidden, tower.launcher().toString(), "version"));

    assertThat(result)
        .isEqualTo(new Result(69, "", "tower: no JDK 25 or newer found; install a JDK 25 (Temurin, for"
            + " example) or set JAVA_HOME to one" + System.lineSeparator()));
  }

  private Path toolsOnly() throws Exception {
    Path tools = Files.createDirectories(directory.resolve("tools"));
    for (String tool : TOOLS) {
      Path target = Stream.of("/usr/bin/", "/bin/").map(place -> Path.of(place + tool)).filter(Files::isExecutable)
          .findFirst().orElseThrow();
      Installation.script(tools.resolve(tool), "exec " + target + " \"$@\"");
    }
    return tools;
  }

  private static List<String> with(List<String> command, String... more) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(more));
    return all;
  }

  @Test
  @DisplayName("Arguments and exit codes pass through unchanged")
  void passesThrough() {
    String actor = "a  b'\"$(id)`id`;*\\ --x=\t";

    assertThat(tower.tower("lock", "prod", "--actor=" + actor, "--request-id", "r").out()).isEqualTo("r\n");

    assertThat(TestHome.json(tower.tower("locks", "prod", "--json").out().strip()).object("data").orElseThrow()
        .text("actor")).hasValue(actor);
    assertThat(tower.tower("check", "prod")).isEqualTo(new Result(1, "active\n", ""));
    assertThat(tower.tower("check", "free").exit()).isEqualTo(3);
    assertThat(tower.tower("lock", "prod").exit()).isEqualTo(2);
    assertThat(tower.tower("lock", "").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("Non-ASCII letters arrive although the environment has no locale, as under cron")
  @ProofsProfile
  void withoutLocale() {
    for (String locale : List.of("", "C", "POSIX")) {
      tower.with("LC_ALL", locale).with("LANG", locale);
      Result result = tower.run(List.of("sh", "-c",
          "bin/tower lock \"l$(echo $LC_ALL | tr A-Z a-z)\" --json --actor=$(printf 'J\\303\\274rgen')"));
      assertThat(TestHome.json(result.out().strip()).object("data").orElseThrow().text("actor")).hasValue("Jürgen");
    }
  }

  @Test
  @DisplayName("It works through symbolic links, from other directories, by a relative path, and with any CDPATH")
  @ProofsProfile
  void anywhere() throws Exception {
    Path elsewhere = Files.createDirectories(directory.resolve("else where/bin"));
    Files.createSymbolicLink(elsewhere.resolve("first"), elsewhere.relativize(tower.launcher()));
    Files.createSymbolicLink(elsewhere.resolve("tower"), Path.of("first"));
    Files.createDirectories(elsewhere.resolve("trap/bin"));

    assertThat(tower.in(elsewhere).run(List.of("./tower", "check", "free")).out()).isEqualTo("free\n");
    tower.with("CDPATH", elsewhere + "/trap");
    assertThat(tower.in(tower.root()).run(List.of("sh", "bin/tower", "check", "free")))
        .isEqualTo(new Result(3, "free\n", ""));
  }

  @ParameterizedTest
  @CsvSource({"check free,3", "task create one --agent a --request-id r,0"})
  @DisplayName("A short command loads no framework: no Spring, no Jackson, no logging, even where the database driver "
      + "would load one")
  void loadsNoFramework(String command, int exit) throws Exception {
    Path classes = directory.resolve("classes.txt");
    List<String> line = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
        "-Xlog:class+load:file=" + classes, "-jar", tower.jar().toString()));
    line.addAll(List.of(command.split(" ")));
    Result result = tower.run(line);

    assertThat(result.exit()).isEqualTo(exit);
    assertThat(Files.readString(classes)).contains("fleet.tower.Main ").doesNotContainPattern(
        " (org\\.springframework|tools\\.jackson|com\\.fasterxml\\.jackson|ch\\.qos\\.logback)\\.");
    if (command.startsWith("check")) {
      assertThat(Files.readString(classes)).doesNotContainPattern(" (java\\.util\\.logging|org\\.slf4j)\\.");
    }
  }

  @Test
  @DisplayName("TOWER_AOT=off uses no cache and creates none")
  @ProofsProfile
  void withoutCache() {
    assertThat(tower.tower("check", "free")).isEqualTo(new Result(3, "free\n", ""));
    assertThat(tower.root().resolve("lib/aot")).doesNotExist();
  }
}

package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

/**
 * Tests that {@code bin/tower}, the service and {@code bin/lock-manager.sh} find the same home. Each runs in its own
 * mount namespace, in which the test defines the usual places of a home.
 */
@Timeout(300)
@DisplayName("TF-2.8 The home is never guessed, and all programs find the same one")
class HomeRulesTest {
  /** Which home is found: the row, --home, TOWER_HOME, the directory, the usual places that exist, the answer. */
  private static final String RULES = """
      --home goes before all           | two | one   | one/sub | /root/tower-fleet | two
      TOWER_HOME goes before the rest  | -   | two   | one/sub | /root/tower-fleet | two
      the nearest, here                | -   | -     | one     | /root/tower-fleet | one
      the nearest, above               | -   | -     | one/sub/deep | -            | one
      the nearest of two               | -   | -     | one/inner/sub | -           | one/inner
      above what the link leads to     | -   | -     | link    | -                 | one
      the specification's place        | -   | -     | outside | /root/tower-fleet /var/lib/tower-executor | /root/tower-fleet
      the service's place              | -   | -     | outside | /var/lib/tower-executor | /var/lib/tower-executor
      none                             | -   | -     | outside | -                 | 64
      not the working directory        | -   | -     | half    | -                 | 64
      a mistyped --home                | half  | one | one     | -                 | 64
      a mistyped TOWER_HOME            | -   | half  | one     | -                 | 64
      a TOWER_HOME that is no home     | -   | plain | one     | /root/tower-fleet | 64
      """;
  /**
   * Everything in root's directory except its homes (the JDK and its libraries may be below it), and an empty /var/lib.
   */
  private static final String NAMESPACE = """
      keep=$1 usual=$2 at=$3
      shift 3
      mkdir "$keep" && mount --bind /root "$keep" && mount -t tmpfs none /root && mount -t tmpfs none /var/lib || exit 99
      for entry in "$keep"/* "$keep"/.[!.]*; do
        if [ -e "$entry" ] && [ "${entry##*/}" != tower-fleet ]; then ln -s "$entry" /root/; fi
      done
      for home in $usual; do mkdir -p "$home/intents" "$home/config"; done
      cd "$at" && exec "$@"
      """;
  private static final String MISSING = "no home here; run `tower init`, or set TOWER_HOME";

  private final Path base;
  private final Installation tower;
  private int runs;

  HomeRulesTest(@TempDir Path directory) throws IOException {
    base = directory.toRealPath();
    tower = new Installation(base.resolve("release")).without("TOWER_HOME");
    TestService.makeHome(base.resolve("one"));
    TestService.makeHome(base.resolve("one/inner"));
    TestService.makeHome(base.resolve("two"));
    Files.createDirectories(base.resolve("one/sub/deep"));
    Files.createDirectories(base.resolve("one/inner/sub/intents"));
    Files.createDirectories(base.resolve("outside"));
    Files.writeString(Files.createDirectories(base.resolve("plain")).resolve("notes"), "mine");
    Files.createDirectories(base.resolve("half/intents"));
    Files.writeString(base.resolve("half/notes"), "mine");
    Files.createSymbolicLink(base.resolve("link"), base.resolve("one/sub"));
  }

  @BeforeEach
  void requiresNamespaces() {
    Result probe = tower.run(List.of("unshare", "-m", "mount", "-t", "tmpfs", "none", "/root"));
    assumeTrue(probe.exit() == 0, "this user cannot make a mount namespace: " + probe.err());
  }

  private List<String> command(String usual, String at, String... program) {
    runs++;
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", NAMESPACE, "sh",
        base.resolve("kept" + runs).toString(), usual, at.startsWith("/") ? at : base.resolve(at).toString()));
    command.addAll(List.of(program));
    return command;
  }

  private String place(String path) {
    return path.isEmpty() || path.startsWith("/") ? path : base.resolve(path).toString();
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("The same arguments, environment, directories and places give the same home, or 64")
  @CsvSource(delimiter = '|', nullValues = "-", textBlock = RULES)
  void commands(String row, String option, String variable, String at, String usual, String expected)
      throws Exception {
    String places = places(variable, usual);
    String[] home = home(option);
    String manager = tower.root().resolve("bin/lock-manager.sh").toString();

    Result asked = tower.run(command(places, at, words(List.of(tower.launcher().toString(), "home"), home)));
    // Options are for the program that runs it; a script that sources it has its own arguments.
    Result script = tower.run(option == null
        ? command(places, at, "bash", "-c", "source \"$1\"; echo \"$TOWER_HOME\"", "bash", manager)
        : command(places, at, manager, home[0], home[1], "acquire_lock", "s", "r", "deploy", "1.0.0"));

    if (expected.equals("64")) {
      requireMissing(asked, isNamed(option, variable));
      requireMissing(script, isNamed(option, variable));
    } else {
      assertThat(asked).extracting(Result::exit, Result::out).containsExactly(0, place(expected) + "\n");
      assertThat(script.out()).isEqualTo(option == null ? place(expected) + "\n" : "Lock acquired: s\n");
      assertThat(option == null || Files.exists(Path.of(place(expected), "logs/locks/s.lock"))).isTrue();
    }
    requireNothingCreated();
  }

  @ProofsProfile
  @ParameterizedTest(name = "{0}")
  @DisplayName("A service finds the same home as the commands")
  @CsvSource(delimiter = '|', nullValues = "-", textBlock = RULES)
  void services(String row, String option, String variable, String at, String usual, String expected)
      throws Exception {
    boolean isHiding = row.equals("the nearest, here");
    String places = places(variable, usual);

    Result served = serve(command(isHiding ? "" : places, at,
        words(List.of(tower.launcher().toString(), "serve", "--port", "0"), home(option))));

    if (expected.equals("64")) {
      requireMissing(served, isNamed(option, variable));
    } else {
      assertThat(served.out()).contains("wrote the operator's token to " + place(expected) + "/state/token\n",
          "tower: ready on ");
    }
    requireNothingCreated();
  }

  private String places(String variable, String usual) {
    if (variable != null) {
      tower.with("TOWER_HOME", place(variable));
    }
    return usual == null ? "" : usual;
  }

  private String[] home(String option) {
    return option == null ? new String[0] : new String[]{"--home", place(option)};
  }

  private static boolean isNamed(String option, String variable) {
    return variable != null || option != null;
  }

  private static void requireMissing(Result refused, boolean isNamed) {
    assertThat(refused).extracting(Result::exit, Result::out).as(refused.err()).containsExactly(64, "");
    assertThat(refused.err()).contains(isNamed ? "is not a home" : MISSING);
  }

  private void requireNothingCreated() throws IOException {
    assertThat(names("outside")).isEmpty();
    assertThat(names("plain")).containsExactly("notes");
    assertThat(names("half")).containsExactly("intents", "notes");
  }

  private static String[] words(List<String> first, String... more) {
    return Stream.concat(first.stream(), Stream.of(more)).toArray(String[]::new);
  }

  private Result serve(List<String> command) throws Exception {
    Path out = base.resolve("out" + runs);
    Path err = base.resolve("err" + runs);
    Process process = tower.start(command, out, err);
    try {
      Await.until("ready, or ended",
          () -> TestHome.text(out).contains("tower: ready on ") || !process.isAlive());
    } finally {
      process.destroy();
    }
    return new Result(process.waitFor(), TestHome.text(out), TestHome.text(err));
  }

  private List<String> names(String directory) throws IOException {
    try (Stream<Path> entries = Files.list(base.resolve(directory))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  @DisplayName("A command that takes a lock prints the home that it found, once, on stderr")
  void namesTheHome() {
    String named = "tower: home " + base + "/one (the nearest home at or above the working directory)\n";
    String launcher = tower.launcher().toString();

    Result locked = tower.run(command("", "one/sub", launcher, "lock", "x", "--request-id", "r", "--json"));
    Result guarded = tower.run(command("", "one/sub", launcher, "guard", "y", "--", "echo", "done"));
    Result looked = tower.run(command("", "one/sub", launcher, "locks", "--names"));
    Result option = tower.run(command("", "outside", launcher, "--home", base + "/one", "lock", "z"));

    assertThat(locked.err()).contains(named);
    assertThat(locked.out()).startsWith("{\"schema_version\":\"v1\",\"success\":true,");
    assertThat(guarded).satisfies(it -> assertThat(it.out()).isEqualTo("done\n"),
        it -> assertThat(it.err()).contains(named));
    assertThat(looked.out()).isEqualTo("x\n");
    assertThat(looked.err() + option.err()).doesNotContain("tower: home ");
    assertThat(base.resolve("one/logs/locks/z.lock")).exists();
  }

  @Test
  @DisplayName("Where the nearest home hides a usual one, nothing takes a lock until the home is named; the rest works")
  @ProofsProfile
  void hidden() {
    String launcher = tower.launcher().toString();
    String manager = tower.root().resolve("bin/lock-manager.sh").toString();
    String usual = "/root/tower-fleet /var/lib/tower-executor";
    String both = "there are two homes: " + base + "/one, the nearest at or above the working directory, and "
        + "/root/tower-fleet, the default home of this host";

    for (String line : List.of("lock x", "guard x -- true", "run hello", "task work --agent a", "serve --port 0")) {
      assertThat(tower.run(command(usual, "one/sub", words(List.of(launcher), line.split(" "))))).as(line)
          .extracting(Result::exit, Result::out, Result::err).containsExactly(64, "", "tower: " + both
              + "; locks in one do not exclude those in the other\n  name the one you mean: --home " + base
              + "/one, or --home /root/tower-fleet\n");
    }
    Result script = tower.run(command(usual, "one/sub", manager, "acquire_lock", "x", "r", "deploy", "1.0.0"));
    assertThat(script.exit()).isEqualTo(64);
    assertThat(script.err()).startsWith("ERROR: " + both);
    assertThat(base.resolve("one/logs/locks")).doesNotExist();

    assertThat(tower.run(command(usual, "one/sub", launcher, "locks")).exit()).isZero();
    assertThat(tower.run(command(usual, "one", launcher, "--home", ".", "lock", "x")).exit()).isZero();
    assertThat(tower.run(command(usual, "one", manager, "--home", ".", "acquire_lock", "y", "r", "deploy", "1.0.0"))
        .out()).isEqualTo("Lock acquired: y\n");
    assertThat(tower.run(command(usual, "/root/tower-fleet", launcher, "lock", "x")).exit()).isZero();
    assertThat(tower.run(command(usual, "/root/tower-fleet", manager, "acquire_lock", "y", "r", "deploy", "1.0.0"))
        .out()).isEqualTo("Lock acquired: y\n");
  }

  @Test
  @DisplayName("On an overlay locks work; init, the service and doctor warn that they end with the container")
  @ProofsProfile
  void overlay() throws Exception {
    tower.with("TOWER_LOCK_INSECURE_DIRECTORY", "");
    String warning = "/merged/home/logs/locks is on overlay, a container's own file system: its locks end with the "
        + "container and exclude nothing outside it";
    String launcher = tower.launcher().toString();

    Result init = tower.run(overlaid(launcher, "init", "home"));
    assumeTrue(init.exit() != 99, "this kernel has no overlay: " + init.err());
    Result commands = tower.run(overlaid("bash", "-ec", "\"$0\" init home; export TOWER_HOME=$PWD/home; "
        + "\"$0\" lock x --request-id r; \"$0\" unlock x --request-id r; \"$0\" doctor", launcher));
    Result served = serve(overlaid(launcher, "--home", "home", "serve", "--port", "0"));

    assertThat(init.exit()).isZero();
    assertThat(init.err()).contains("tower: warning: ", warning);
    assertThat(commands.out()).contains("r\n", "warn  lock directory file system", warning);
    assertThat(commands.err()).contains("lock x released");
    assertThat(served.err()).contains("tower: warning: ", warning);
  }

  /** A program in an overlay of its own, as in a container. */
  private List<String> overlaid(String... program) throws IOException {
    runs++;
    Path layers = Files.createDirectory(base.resolve("layers" + runs));
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "bash", "-c", """
        mount -t tmpfs none "$0" && mkdir "$0/lower" "$0/upper" "$0/work" "$0/merged" && cd "$0" &&
          mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work merged || exit 99
        cd merged && exec "$@"
        """, layers.toString()));
    command.addAll(List.of(program));
    return command;
  }

  @Test
  @DisplayName("lock-manager.sh locks in the home that it found, also after its script changes directory")
  void scriptKeepsItsHome() {
    Result result = tower.run(command("", "one/sub", "bash", "-c", "source \"$1\"; cd /; acquire_lock s r deploy 1.0.0",
        "bash", tower.root().resolve("bin/lock-manager.sh").toString()));

    assertThat(result.out()).isEqualTo("Lock acquired: s\n");
    assertThat(result.err()).contains("home " + base + "/one ");
    assertThat(base.resolve("one/logs/locks/s.lock")).exists();
  }

  @Test
  @DisplayName("Without a home, commands that need none work, all others exit with 64, and nothing is created")
  @ProofsProfile
  void withoutHome() throws IOException {
    String launcher = tower.launcher().toString();
    for (String line : List.of("version", "help", "lock --help", "completion bash", "exclusive check .",
        "validate " + tower.root().resolve("intent.yaml"))) {
      Files.writeString(tower.root().resolve("intent.yaml"), """
          apiVersion: tower-fleet/intent/v1
          kind: Intent
          metadata: { name: intent, version: 1.0.0 }
          spec: { mode: observe, steps: [{ name: one, run: [echo] }] }
          """);
      assertThat(tower.run(command("", "outside", words(List.of(launcher), line.split(" ", -1)))).exit()).as(line)
          .isZero();
    }
    for (String line : List.of("lock x", "guard x -- true", "run hello", "locks", "check x", "audit", "doctor", "gc",
        "token list", "task list", "mailbox count", "validate", "intents", "runs", "plan hello",
        "unlock x --request-id r",
        "serve --port 0")) {
      assertThat(tower.run(command("", "outside", words(List.of(launcher), line.split(" ", -1))))).as(line)
          .extracting(Result::exit, Result::out, Result::err).containsExactly(64, "", "tower: " + MISSING + "\n");
    }
    assertThat(tower.run(command("", "outside", launcher, "locks", "--server", "http://127.0.0.1:1")).exit())
        .isEqualTo(77);
    assertThat(tower.run(command("", "outside", "env", "TOWER_TOKEN=any", launcher, "locks", "--server",
        "http://127.0.0.1:1")).exit()).isEqualTo(69);
    assertThat(names("outside")).isEmpty();
  }
}

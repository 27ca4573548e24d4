package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

class UsageTest {
  private final TestHome home;

  UsageTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lock prod --ttl 60s --request-id r --json", "lock --ttl 60s --request-id r --json prod",
      "lock --json --ttl=60s prod --request-id=r", "lock --request-id r --ttl 1m --json -- prod",
      "lock --ttl 60 --json --request-id r prod --wait", "lock --wait prod --ttl 60s --json --request-id r",
      "lock --wait 5m prod --ttl 60s --json --request-id r", "lock --wait=5m prod --ttl 60s --json --request-id r"})
  @DisplayName("T15 LK-B12 flags before and after the name, with = or a space, mean the same")
  void anywhere(String line) {
    Outcome outcome = home.tower(line);

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.data().raw()).contains("\"lock_name\":\"prod\",\"request_id\":\"r\"", "\"ttl_seconds\":60");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', quoteCharacter = '~', value = {"lock prod extra @ 'extra' is one argument too many",
      "lock @ NAME is missing", "lock --json= prod @ --json takes no value",
      "lock prod --ttl @ --ttl needs a value: --ttl D", "lock prod --ttl= @ --ttl needs a value: --ttl D",
      "lock prod --ttl 5s --ttl 6s @ --ttl is given twice",
      "lock prod --force-lock --force-lock @ --force-lock is given twice",
      "lock prod --forse-lock @ there is no option --forse-lock; did you mean --force-lock?",
      "lock prod --break-stale @ there is no option --break-stale", "lock prod -x @ there is no option -x",
      "lock -- prod --ttl @ '--ttl' is one argument too many",
      "lock prod --actor --ttl 5s @ --actor needs a value: --actor A; write --actor=--ttl if you mean that",
      "unlock prod @ --request-id is required", "heartbeat prod @ --request-id is required",
      "version 1 @ '1' is one argument too many", "completion @ bash|zsh|fish is missing",
      "completion csh @ 'csh' must be bash, zsh or fish", "locks a b @ 'b' is one argument too many"})
  @DisplayName("T15 an invalid command line: exit 64, the problem, the usage, no effect")
  void refused(String line, String problem) {
    assertThat(refusal(line, problem)).isEqualTo("usage");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', quoteCharacter = '~', value = {
      "lock prod --wait 2h @ --wait must be a time span from 0s to 1h, such as 90s, 15m or 8h, not '2h'",
      "audit --since yesterday @ --since must be a time span before now such as 8h, or a UTC time like "
          + "2026-01-31T08:00:00Z, not 'yesterday'",
      "lock prod --wait=soon @ --wait must be a time span from 0s to 1h, such as 90s, 15m or 8h, not 'soon'"})
  @DisplayName("T15 an invalid value of an option has the code that it has at every door")
  void invalid(String line, String problem) {
    assertThat(refusal(line, problem)).isEqualTo("invalid_request");
  }

  private String refusal(String line, String problem) {
    Outcome words = home.tower(line);
    Outcome json = home.tower(line.replaceFirst(" |$", " --json ").strip());

    assertThat(words.exit()).isEqualTo(64);
    assertThat(words.out()).isEmpty();
    assertThat(words.err()).startsWith("tower: " + problem).contains("\n  usage: tower " + line.split(" ", 2)[0]);
    assertThat(json.exit()).isEqualTo(64);
    assertThat(home.isUntouched()).isTrue();
    return json.errorCode();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', quoteCharacter = '~', value = {
      "freeze @ freeze NAME --ttl D --reason TEXT [--request-id R] [--actor A]",
      "force-release @ force-release NAME --reason TEXT [--abandon] [--request-id R] [--actor A]",
      "unlock @ unlock NAME --request-id R [",
      "heartbeat @ heartbeat NAME --request-id R [", "fence @ fence NAME --token N [",
      "task close @ task close TASK --request-id R --outcome done|blocked [--agent A]",
      "task heartbeat @ task heartbeat [TASK] --request-id R [--id TASK] [--agent A]",
      "token create @ token create NAME --role R [",
      "mailbox reject @ mailbox reject MAILBOX [RECEIPT] --error TEXT ["})
  @DisplayName("A usage line shows a required option without brackets, before optional ones")
  void needed(String command, String usage) {
    assertThat(home.tower(command + " --help").out()).startsWith("usage: tower " + usage);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "lokc prod | there is no command 'lokc' | did you mean `tower lock`?",
      "frobnicate | there is no command 'frobnicate' | see `tower --help`",
      "forc prod | there is no command 'forc' | did you mean `tower force-release`?"})
  @DisplayName("An unknown command: exit 64 and the nearest command")
  void unknownCommand(String line, String problem, String suggestion) {
    assertThat(home.tower(line)).isEqualTo(
        new Outcome(64, "", "tower: " + problem + "\n  " + suggestion + "\n"));
    assertThat(home.tower(line + " --json").json().text("suggested_action")).hasValue(suggestion);
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "plan", "lock", "heartbeat", "unlock", "force-release", "fence", "freeze", "unfreeze",
      "locks", "check",
      "exists", "why",
      "audit", "doctor", "validate", "gc", "version", "completion"})
  @DisplayName("Every command has help, whatever else is on the line")
  void help(String command) {
    Outcome help = home.tower(command + " --help");

    assertThat(help.exit()).isZero();
    assertThat(help.err()).isEmpty();
    assertThat(help.out()).startsWith("usage: tower " + command).contains("--json", "--help  ");
    assertThat(home.tower("help " + command)).isEqualTo(help);
    assertThat(home.tower(command + " -h")).isEqualTo(help);
    assertThat(home.tower(command + " --help --json").data().text("usage").orElse("")).startsWith("tower " + command);
    assertThat(home.tower("--help").out()).contains("\n  " + command + " ");
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("No command is a usage error that lists all; a request for help is not an error")
  void overview() {
    Outcome help = home.tower("--help");

    assertThat(home.run()).isEqualTo(new Outcome(64, help.out(), ""));
    assertThat(help.exit()).isZero();
    assertThat(home.tower("help")).isEqualTo(home.tower("-h")).isEqualTo(help);
    assertThat(TestHome.texts(home.tower("help --json").data(), "commands", "name")).hasSize(72).startsWith("run");
    assertThat(home.tower("help lokc").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("A --json after -- is an operand and does not select JSON")
  void jsonBehindTheEnd() {
    assertThat(home.tower("lock prod -- --json").err()).startsWith("tower: '--json' is one argument too many");
  }

  @Test
  @DisplayName("version prints the program, specification and Java versions")
  void version() {
    assertThat(home.tower("version").out()).matches("tower \\S+ \\(tower-fleet/lock/v1, Java 25\\S*\\)\\R");
    assertThat(home.tower("--version")).isEqualTo(home.tower("version"));
    assertThat(home.tower("version --json").data().members().keySet()).containsExactly("version", "spec", "java");
  }

  @Test
  @DisplayName("If no service answers at TOWER_URL: exit 69 and its address, never the token; help and version "
      + "still work")
  void server() {
    home.with("TOWER_URL", "http://127.0.0.1:1/").with("TOWER_TOKEN", "hidden");

    assertThat(home.tower("lock prod")).isEqualTo(new Outcome(69, "", """
        tower: the service at http://127.0.0.1:1 cannot be reached: Connection refused
          start it with `tower serve`, or unset TOWER_URL to work on the files of a home
        """));
    Outcome json = home.tower("check prod --json");
    assertThat(json.exit()).isEqualTo(69);
    assertThat(json.errorCode()).isEqualTo("server_unavailable");
    assertThat(home.tower("audit").exit()).isEqualTo(69);
    assertThat(home.tower("doctor").out()).contains("server", "http://127.0.0.1:1 cannot be used");
    assertThat(home.tower("version").exit()).isZero();
    assertThat(home.tower("lock --help").exit()).isZero();
    assertThat(home.tower("lock prod --tll 1m").exit()).isEqualTo(64);
    assertThat(home.isUntouched()).isTrue();
  }
}

package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.CommandTable;
import fleet.tower.cli.shell.Environment;
import fleet.tower.cli.shell.Manual;
import fleet.tower.cli.shell.Shell;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.Setting;
import fleet.tower.home.Settings;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

@DisplayName("The manual: subjects, examples, topics and synonyms of the commands")
class CommandManualTest {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", ""));
  private static final Pattern VARIABLE = Pattern.compile("\\bTOWER_[A-Z][A-Z_]*[A-Z]");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
  private final Manual manual = CommandManual.manual();
  private final TestHome home;

  CommandManualTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  /** Parses a line without running its command; returns the exit code and the messages. */
  private static String parsed(List<String> words) {
    CommandTable table = Tower.table();
    List<Command> idle = table.commands().stream()
        .map(command -> command.acting(_ -> Reply.of(Exit.DONE, JsonWriter.line()))).toList();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    Exit exit = new Shell(new CommandTable(idle, table.aliases()), CommandManual::manual, failure -> {
      throw failure;
    }).run(words.toArray(String[]::new),
        new Console(nowhere, new PrintStream(err, true, StandardCharsets.UTF_8)));
    return exit.code() + " " + err.toString(StandardCharsets.UTF_8);
  }

  private static List<String> words(String line) {
    return WORD.matcher(line).results().map(it -> it.group(1) == null ? it.group(2) : it.group(1)).toList();
  }

  @Test
  @DisplayName("Every command belongs to one subject and has an example that the parser accepts")
  void examples() {
    assertThat(manual.pages().map(Manual.Page::command)).doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(Tower.table().commands().stream().map(Command::name).toList());
    manual.pages().forEach(page -> {
      assertThat(page.examples()).as(page.command()).isNotEmpty()
          .allSatisfy(line -> assertThat(line).startsWith("tower " + page.command()))
          .allSatisfy(line -> assertThat(parsed(words(line).subList(1, words(line).size()))).isEqualTo("0 "));
      String help = home.tower(page.command() + " --help").out();
      assertThat(help).contains("\nexample: " + page.examples().getFirst() + "\n");
      page.notes().forEach(note -> assertThat(help).contains("\n" + note + "\n"));
    });
    assertThat(parsed(List.of("lock", "prod", "--tll", "1m"))).as("a wrong example is found").startsWith("64 ");
  }

  @Test
  @DisplayName("The overview lists the commands by subject, and then the topics")
  void overview() {
    String help = home.tower("help").out();

    assertThat(help.lines().filter(line -> line.matches("[A-Z].*"))).containsExactly("Runs", "Locks", "Guards",
        "Tasks", "Mailboxes", "Other tools", "Service", "Home");
    assertThat(help).containsSubsequence("\nLocks\n", "  lock ", "  why ", "\n\nGuards\n", "  guard ",
        "\n  task  ", "\n  exclusive  ", "\n  serve  ", "\n  hosts  ", "\n  init  ",
        "`tower help exit-codes` lists the exit codes.",
        "`tower help environment` lists the environment variables.");
  }

  @Test
  @DisplayName("A synonym is not a command itself; it refers to commands")
  void synonyms() {
    Set<String> names = new TreeSet<>(Tower.table().commands().stream().map(Command::name).toList());
    assertThat(manual.synonyms()).allSatisfy((word, commands) -> {
      assertThat(parsed(words(word))).as(word).startsWith("64 tower: there is no command");
      assertThat(commands).isNotEmpty().allMatch(names::contains);
    });
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "release prod | did you mean `tower unlock`, `tower force-release` or `tower task release`?",
      "ps | did you mean `tower runs` or `tower locks`?", "logs | did you mean `tower audit` or `tower runs`?",
      "rm prod | did you mean `tower force-release`?", "kill req_1 | did you mean `tower cancel`?",
      "start x | did you mean `tower run`, `tower serve` or `tower task start`?",
      "claim | did you mean `tower task claim`?", "send m x | did you mean `tower mailbox send`?",
      "task done t1 | did you mean `tower task close`?", "task clame | did you mean `tower task claim`?",
      "help exit-code | did you mean `tower help exit-codes`?", "help env | did you mean `tower help environment`?",
      "help release | did you mean `tower unlock`, `tower force-release` or `tower task release`?"})
  @DisplayName("A word used by another tool, or by another command, is answered with the commands that do the same")
  void nearest(String line, String suggestion) {
    Outcome outcome = home.tower(line);

    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.err()).startsWith("tower: there is no ").endsWith("\n  " + suggestion + "\n");
  }

  @Test
  @DisplayName("`help exit-codes` prints every exit code that an error code or a command has")
  void exitCodes() {
    List<String> codes = TestHome.texts(home.tower("help exit-codes --json").data(), "rows", "code");

    assertThat(codes).contains("0", "75").containsAll(Arrays.stream(ErrorCode.values())
        .map(code -> Integer.toString(code.exit().code())).distinct().toList());
    assertThat(home.tower("help exit-codes").out())
        .matches(
            "(?s)CODE +MEANING\n0 +done\n.*\n77 +no valid token, or it does not permit this; or others can change the home\n"
                + "78 +the configuration of the home is not valid: file:line:column: message\ncheck +0 stale, 1 active, 3 free.*");
    assertThat(home.tower("help exit-codes now").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("`help environment` prints every variable that the sources name")
  void environment() throws IOException {
    Set<String> used = new TreeSet<>();
    for (Path file : sources()) {
      VARIABLE.matcher(Files.readString(file)).results().map(MatchResult::group).forEach(used::add);
    }
    List<String> known = new ArrayList<>(Settings.ALL.stream().map(Setting::variable).toList());
    Environment.table().forEach(variable -> known.add(variable.name()));

    assertThat(used).contains("TOWER_HOME", "TOWER_BEAT_FILE", "TOWER_AOT").isSubsetOf(known);
    assertThat(TestHome.texts(home.tower("help environment --json").data(), "rows", "variable")).containsAll(known);
    assertThat(home.tower("help environment").out()).startsWith("VARIABLE ").contains("\nTOWER_URL ",
        "\nTOWER_DATABASE_URL ", " setting tower.database.url ");
  }

  private static List<Path> sources() throws IOException {
    List<Path> files = new ArrayList<>(List.of(BASE.resolve("bin/tower"), BASE.resolve("bin/lock-manager.sh")));
    try (Stream<Path> java = Files.walk(BASE.resolve("src/main/java"))) {
      java.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
    }
    return files;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lock", "run", "guard", "freeze", "audit", "gc", "task claim", "mailbox receive",
      "mailbox nack", "token create"})
  @DisplayName("Help names the unit of a duration")
  void units(String command) {
    assertThat(home.tower(command + " --help").out())
        .contains("\nD is a duration such as 90s, 15m, 8h or 2d; a number without a unit is seconds.\n");
    assertThat(home.tower("why --help").out()).doesNotContain("duration");
  }

  @Test
  @DisplayName("Every --request-id is called R, and help says in one sentence what it is")
  void requestIds() {
    List<Command> commands = Tower.table().commands().stream()
        .filter(command -> command.options().stream().anyMatch(option -> option.name().equals("request-id"))).toList();

    assertThat(commands).extracting(Command::name).contains("run", "lock", "guard", "heartbeat", "freeze", "beat",
        "task claim", "audit");
    assertThat(commands).allSatisfy(command -> assertThat(home.tower(command.name() + " --help").out())
        .contains("  --request-id R ", "\nR is a request id, 1 to 128 of A-Z a-z 0-9 . _ : - such as deploy-7. It "
            + "names a run or the owner of a lock, and its audit events; repeating a request with its id has no further "
            + "effect.\n"));
  }
}

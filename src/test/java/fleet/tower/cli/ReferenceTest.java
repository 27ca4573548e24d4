package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.golden.Golden;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.json.JsonObject;

@DisplayName("The reference pages of commands, exit codes and variables are generated from the program")
class ReferenceTest {
  private final TestHome home;

  ReferenceTest(@TempDir Path directory) {
    home = new TestHome(directory);
  }

  @Test
  @DisplayName("docs/reference/commands.md has every command with its options")
  void commands() {
    List<JsonObject> commands = home.tower("help --json").data().objects("commands");
    assertThat(commands).hasSizeGreaterThan(50);
    StringBuilder page = new StringBuilder(
        """
            # Commands

            Every command of `tower`, as `tower COMMAND --help` describes it. Options may precede or follow the operands. `D` is
            a duration such as `90s`, `15m`, `8h` or `2d`; a number without a unit is seconds. Every command also takes `--home
            DIR`, `--json` and `--help`.

            This page is generated from the program. [Exit codes](exit-codes.md) · [Environment](environment.md) ·
            [Audit events](audit-events.md)
            """);
    for (String subject : subjects(commands)) {
      page.append("\n## ").append(subject).append('\n');
      commands.stream().filter(command -> text(command, "subject").equals(subject))
          .forEach(command -> page.append(section(command)));
    }

    Golden.isWhole("docs/reference/commands.md", page.toString());
  }

  private static Set<String> subjects(List<JsonObject> commands) {
    Set<String> subjects = new LinkedHashSet<>();
    commands.forEach(command -> subjects.add(text(command, "subject")));
    return subjects;
  }

  private static String section(JsonObject command) {
    List<String> rows = new ArrayList<>();
    rows.add("| usage | " + code(text(command, "usage")) + " |");
    for (JsonObject option : command.objects("options")) {
      if (!Set.of("--home", "--json", "--help").contains(text(option, "name"))) {
        rows.add("| " + code(name(option)) + " | " + cell(text(option, "summary")) + " |");
      }
    }
    command.texts("aliases").forEach(alias -> rows.add("| alias | " + code("tower " + alias) + " |"));
    command.texts("notes").forEach(note -> rows.add("| note | " + cell(note) + " |"));
    command.texts("examples").forEach(example -> rows.add("| example | " + code(example) + " |"));
    return "\n### tower " + text(command, "name") + "\n\n" + sentence(text(command, "summary"))
        + "\n\n| | |\n|---|---|\n"
        + String.join("\n", rows) + "\n";
  }

  private static String name(JsonObject option) {
    String names = option.text("letter").map(letter -> letter + ", ").orElse("") + text(option, "name");
    return names + option.text("value").map(value -> " " + value).orElse("");
  }

  @Test
  @DisplayName("docs/reference/exit-codes.md has every exit code")
  void exitCodes() {
    Golden.isWhole("docs/reference/exit-codes.md",
        """
            # Exit codes

            The exit code of `tower` says what a script may do next. The last rows are commands that answer by their exit code.
            This page is generated from the program.

            """
            + table(home.tower("help exit-codes --json").data()));
  }

  @Test
  @DisplayName("docs/reference/environment.md has every variable")
  void environment() {
    Golden.isWhole("docs/reference/environment.md", """
        # Environment variables

        The variables that the program reads, and those that it sets for steps, guarded commands and task workers. A
        variable of a setting has the value that the key would have in `config/application.yaml`, and takes precedence
        over it, in the programs that have the variable: set a setting there that all programs of a home need. This
        page is generated from the program.

        """ + table(home.tower("help environment --json").data()));
  }

  private static String table(JsonObject topic) {
    List<JsonObject> rows = topic.objects("rows");
    List<String> columns = List.copyOf(rows.getFirst().members().keySet());
    StringBuilder table = new StringBuilder("| " + String.join(" | ", columns) + " |\n|" + "---|".repeat(columns.size())
        + "\n");
    for (JsonObject row : rows) {
      table.append("| ").append(code(text(row, columns.getFirst())));
      columns.stream().skip(1).forEach(column -> table.append(" | ").append(cell(text(row, column))));
      table.append(" |\n");
    }
    return table.toString();
  }

  private static String text(JsonObject object, String member) {
    return object.text(member).orElse("");
  }

  private static String sentence(String text) {
    String first = text.substring(0, 1).toUpperCase(Locale.ROOT) + cell(text).substring(1);
    return first.endsWith(".") ? first : first + ".";
  }

  private static String code(String text) {
    return "`" + text.replace("|", "\\|") + "`";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ");
  }
}

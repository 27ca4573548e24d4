package fleet.tower.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.answer.Reply;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

@DisplayName("Commands whose names have two words")
class CommandGroupTest {
  private static final List<Command> COMMANDS = List.of(
      command("check", List.of("NAME"), "look at a lock"),
      command("task create", List.of("TITLE"), "make one"),
      command("task claim", List.of(), "take one"),
      command("task work", List.of("[-- CMD...]"), "do many"),
      command("serve", List.of(), "be a server"), command("serve setup", List.of("WHAT"), "prepare one"));

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Shell shell = new Shell(COMMANDS, Map.of(),
      failure -> Reply.failure(Exit.FAILED, "bug", failure.toString(), ""));

  private static Command command(String name, List<String> operands, String summary) {
    return new Command(name, operands, summary, List.of(Option.value("agent", "A", "who")),
        arguments -> Reply.of(Exit.DONE, JsonWriter.line())
            .data(name + " " + arguments.operands() + " " + arguments.command()));
  }

  private int run(String line) {
    return shell.run(line.split(" ", -1), new Console(stream(out), stream(err))).code();
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"task create it --agent a | task create [it] []",
      "task claim --agent a | task claim [] []", "check task | check [task] []",
      "serve | serve [] []", "serve --agent a | serve [] []", "serve setup x | serve setup [x] []",
      "task work --agent a | task work [] []", "task work --agent a -- run --json | task work [] [run, --json]"})
  @DisplayName("They are found by both words, and a command after -- is optional")
  void found(String line, String expected) {
    assertThat(run(line)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(expected + "\n");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "task clame | there is no command 'task clame' | did you mean `tower task claim`?",
      "tsak claim | there is no command 'tsak' | did you mean `tower task`?",
      "serve setpu x | there is no command 'serve setpu' | did you mean `tower serve setup`?",
      "task zzzzzz | there is no command 'task zzzzzz' | see `tower task --help`",
      "claim | there is no command 'claim' | did you mean `tower task claim`?",
      "zzzzzz | there is no command 'zzzzzz' | see `tower --help`",
      "task create | TITLE is missing | usage: tower task create TITLE [--agent A] [--json]",
      "task claim x | 'x' is one argument too many | usage: tower task claim [--agent A] [--json]",
      "task work x | 'x' is one argument too many | usage: tower task work [--agent A] [--json] [-- CMD...]",
      "task work -- | there is no command after -- | usage: tower task work [--agent A] [--json] [-- CMD...]"})
  @DisplayName("An unknown or incomplete name is exit 64 with a suggestion")
  void refused(String line, String problem, String suggestion) {
    assertThat(run(line)).isEqualTo(64);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("tower: " + problem + "\n  " + suggestion + "\n");
  }

  @ParameterizedTest
  @CsvSource({"task, 64", "task --json-like, 64", "task --help, 0", "help task, 0"})
  @DisplayName("The first word alone lists them, as help or as a usage error")
  void group(String line, int exit) {
    assertThat(run(line)).isEqualTo(exit);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
        usage: tower task COMMAND …

          create  make one
          claim   take one
          work    do many

        `tower task COMMAND --help` shows details; every command takes --json.
        """);
  }

  @Test
  @DisplayName("The overview has one line for the group; JSON has each command with its usage")
  void overview() {
    assertThat(run("help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
        usage: tower COMMAND …

          check  look at a lock
          task   create, claim, work
          serve  be a server

        `tower COMMAND --help` shows details; every command takes --json.
        """);
    out.reset();
    run("help --json");
    assertThat(out.toString(StandardCharsets.UTF_8)).contains(
        "{\"name\":\"task claim\",\"usage\":\"tower task claim [--agent A] [--json]\",\"summary\":\"take one\","
            + "\"subject\":\"\",\"operands\":[],\"options\":[{\"name\":\"--agent\",\"letter\":null,\"value\":\"A\","
            + "\"required\":false,\"repeated\":false,\"summary\":\"who\"},");
  }

  @ParameterizedTest
  @CsvSource({"help task claim", "task claim --help"})
  @DisplayName("Help for one of them shows its usage")
  void help(String line) {
    assertThat(run(line)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .startsWith("usage: tower task claim [--agent A] [--json]\n\ntake one\n\n  --agent A   who\n");
  }
}

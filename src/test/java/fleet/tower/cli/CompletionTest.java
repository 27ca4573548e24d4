package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.TestHome;

class CompletionTest {
  private final Installation release;
  private final TestHome home;

  CompletionTest(@TempDir Path directory) throws Exception {
    release = new Installation(directory.resolve("release"));
    home = new TestHome(release.home());
    Files.writeString(release.root().resolve("tower.bash"), home.tower("completion bash").out());
    Files.writeString(release.root().resolve("tower.zsh"), home.tower("completion zsh").out());
    Files.writeString(release.root().resolve("tower.fish"), home.tower("completion fish").out());
    Files.createDirectories(release.home().resolve("intents"));
    Files.writeString(release.home().resolve("intents/greet.yaml"), "");
    Files.writeString(release.home().resolve("intents/other.yaml"), "");
    Installation.script(release.root().resolve("tower"),
        "if [ \"$1\" = home ]; then echo '" + release.home() + "'; else printf '%s\\n' alpha beta prod-eu prod-us; fi");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"tower,lo | lock locks",
      "tower,'' | run plan probe intents runs wait cancel settle hosts beat approvals approve reject guard lock heartbeat unlock force-release freeze unfreeze "
          + "halt unhalt halts locks check fence exists why task mailbox audit doctor prime mcp exclusive token validate serve demo init home settings policy move gc migrate version completion help",
      "tower,lock,--f | --force-lock --force",
      "tower,unlock,--re | --request-id --result", "tower,check,prod | prod-eu prod-us",
      "tower,why,'' | alpha beta prod-eu prod-us", "tower,lock,prod-eu,--wa | --wait", "tower,completion,b | bash",
      "tower,completion,'' | bash zsh fish", "tower,doctor,'' | ''",
      "tower,validate,tower.b | ./tower.bash", "tower,version,'' | ''",
      "tower,help,e | exists exclusive exit-codes environment",
      "tower,audit,'' | ''",
      "tower,audit,--fo | --follow", "tower,run,gr | greet", "tower,plan,'' | greet other", "tower,nonsense,--j | ''",
      "tower,task,cl | claim close", "tower,task,close,--o | --outcome", "tower,task,create,'' | ''",
      "tower,task,get,prod | prod-eu prod-us", "tower,task,nonsense,--j | ''", "tower,heartbeat,--ag | ''",
      "tower,task,heartbeat,--ag | --agent", "tower,mailbox,re | reply reject receive",
      "tower,mailbox,ack,prod | prod-eu prod-us",
      "tower,mcp,'' | install", "tower,mcp,--ro | --role", "tower,mcp,--role,agent,--ac | --actor",
      "tower,mcp,install,c | claude codex cursor", "tower,mcp,install,claude,--ro | --role",
      "tower,mailbox,receive,--vi | --visibility"})
  @DisplayName("bash completes commands, options and lock names")
  void bash(String words, String expected) {
    String array = words.replace(",", " ").replace("tower", "./tower");

    Result result = release.run(List.of("bash", "-c", "set -u; source ./tower.bash; COMP_WORDS=(" + array
        + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tower; echo \"${COMPREPLY[@]:-}\""));

    assertThat(result).isEqualTo(new Result(0, expected.replace("''", "") + "\n", ""));
  }

  @Test
  @DisplayName("The zsh script wraps the bash script in zsh's adapter, and the fish script has every option")
  void others() {
    String bash = home.tower("completion bash").out();
    assertThat(home.tower("completion zsh").out()).isEqualTo("autoload -U +X bashcompinit && bashcompinit\n" + bash);
    assertThat(home.tower("completion fish").out())
        .contains("complete -c tower -n __fish_use_subcommand -a check -d 'print active (exit 1), stale (exit 0)")
        .contains("complete -c tower -n '__fish_seen_subcommand_from lock' -l ttl -x -d ")
        .contains("-l local -d 'in a fleet, only this host\\'s own files, ")
        .contains("complete -c tower -n '__fish_seen_subcommand_from validate' -F\n")
        .contains("complete -c tower -n __fish_use_subcommand -a task -d 'create, claim, resume, ")
        .contains("complete -c tower -n '__fish_seen_subcommand_from task; and not __fish_seen_subcommand_from create ")
        .contains(
            "complete -c tower -n '__fish_seen_subcommand_from task; and __fish_seen_subcommand_from claim' -l ttl -x")
        .contains("(tower locks --names 2>/dev/null)");
    assertThat(home.tower("completion bash --json").data().text("script")).hasValue(bash);
  }

  @ParameterizedTest
  @CsvSource({"bash, tower.bash", "zsh, tower.zsh", "fish, tower.fish"})
  @DisplayName("The installed shells accept their scripts")
  void syntax(String shell, String script) {
    boolean installed = Stream.of("/bin/", "/usr/bin/").anyMatch(place -> Files.isExecutable(Path.of(place + shell)));
    assumeTrue(installed, shell + " is not installed");

    assertThat(release.run(List.of(shell, "-n", script))).isEqualTo(new Result(0, "", ""));
  }
}

package fleet.tower.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Caller;
import fleet.tower.answer.Reply;
import fleet.tower.cli.Tower;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

@DisplayName("The caller of a command on the files of a home")
class HomeCallerTest {

  /** Runs a command whose server of the protocol returns its caller. */
  public static void main(String[] line) {
    System.exit(Tower.run(line, System.getenv(), Console.ofProcess(),
        new Tower.Programs(TestHome::noService, request -> reply(request.caller()))));
  }

  private static Reply reply(Caller caller) {
    return Reply.of(Exit.DONE, JsonWriter.line().put("actor", caller.name()).put("principal", caller.principal())
        .put("approves", caller.mayApprove("deploy-app")));
  }

  @Test
  @DisplayName("Its principal is the user of the operating system, whatever the actor and Java's options say")
  void principal(@TempDir Path root) throws Exception {
    new TestHome(root).run("init");
    ProcessBuilder command = new ProcessBuilder(JavaProcess.command(HomeCallerTest.class, "mcp", "--home",
        root.toString(), "--actor", "mallory", "--json"));
    command.environment().putAll(Map.of("JAVA_TOOL_OPTIONS", "-Duser.name=eve", "TOWER_ACTOR", "eve"));

    assertThat(output(command)).contains("\"actor\":\"mallory\",\"principal\":\""
        + output(new ProcessBuilder("id", "-un")).strip() + "\",\"approves\":true");
  }

  private static String output(ProcessBuilder command) throws IOException, InterruptedException {
    Process process = command.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
    return text;
  }
}

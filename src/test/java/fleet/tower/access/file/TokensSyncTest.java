package fleet.tower.access.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.Main;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.Strace;

@DisplayName("A changed token is on disk before the command reports it")
@ProofsProfile
class TokensSyncTest {
  private final Path home;
  private final Path output;
  private final Strace strace;

  TokensSyncTest(@TempDir Path directory) throws IOException {
    home = directory.resolve("home");
    output = directory.resolve("output");
    strace = new Strace(directory.resolve("trace"));
    Files.createDirectories(home.resolve("config"));
    Files.createDirectories(home.resolve("intents"));
  }

  @Test
  @DisplayName("The text is synced before the file gets its name, and the name before the answer")
  void order() throws IOException {
    Path tokens = home.resolve("config/tokens.yaml");
    Path operator = Files.createDirectories(home.resolve("state")).resolve("token");
    Files.writeString(operator, "x".repeat(40) + "\n");

    inOrder(tokens, ".tokens", "create", "ci", "--role", "viewer");
    inOrder(tokens, ".tokens", "rotate", "ci");
    inOrder(tokens, ".tokens", "revoke", "ci");
    inOrder(operator, ".token", "rotate", "operator");
  }

  private void inOrder(Path file, String temporary, String... command) throws IOException {
    List<String> line = JavaProcess.command(Main.class, Stream.concat(Stream.of("token"), Stream.of(command))
        .toArray(String[]::new));
    ProcessBuilder process = new ProcessBuilder(strace.of("fsync,fdatasync,rename,renameat,renameat2,write", line))
        .redirectErrorStream(true).redirectOutput(output.toFile());
    process.environment().put("TOWER_HOME", home.toString());
    assertThat(Await.exitOf(process.start())).as(Files.readString(output)).isZero();

    List<String> calls = strace.calls();
    int named = Strace.first(calls, 0, call -> call.contains("rename") && call.contains("\"" + file + "\""));
    assertThat(calls.subList(0, named)).anyMatch(
        call -> call.contains("sync(") && call.contains("<" + file.resolveSibling(temporary))
            && call.contains(".new>"));
    int synced = Strace.first(calls, named, call -> Strace.isSync(call, file.resolveSibling("")));
    int told = Strace.first(calls, named, call -> call.contains("write(") && call.contains("<" + output + ">"));
    assertThat(synced).isLessThan(told);
  }
}

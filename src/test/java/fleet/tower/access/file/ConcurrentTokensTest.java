package fleet.tower.access.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.Tokens;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Processes that change the tokens of a home at the same time")
class ConcurrentTokensTest {
  private static final int EACH = 30;

  @Test
  @DisplayName("None loses a token of the other")
  void together(@TempDir Path home) throws IOException {
    Path output = home.resolve("output");
    Process other = new ProcessBuilder(JavaProcess.command(Issuer.class, home.toString(), "other"))
        .redirectErrorStream(true).redirectOutput(output.toFile()).start();
    Await.until("the other one has created a token, or has ended",
        () -> names(home).contains("other-0") || !other.isAlive());
    Issuer.issue(home, "own");

    assertThat(Await.exitOf(other)).as(Files.readString(output)).isZero();
    assertThat(names(home)).containsExactlyInAnyOrderElementsOf(IntStream.range(0, EACH).boxed()
        .flatMap(number -> List.of("own-" + number, "other-" + number).stream()).toList());
  }

  private static Tokens tokens(Path home) {
    return new AccessFiles(home.resolve("state"), home.resolve("config"), SystemTime.source(), _ -> {})
        .tokens(new SecureRandom());
  }

  private static List<String> names(Path home) {
    return tokens(home).list().stream().map(grant -> grant.name()).toList();
  }

  /** Creates tokens one after the other. */
  static final class Issuer {
    private Issuer() {}

    static void issue(Path home, String prefix) {
      Tokens tokens = tokens(home);
      for (int i = 0; i < EACH; i++) {
        tokens.issue(new Tokens.TokenRequest(prefix + "-" + i, null, Role.AGENT, Scope.ALL, null));
      }
    }

    public static void main(String[] arguments) {
      issue(Path.of(arguments[0]), arguments[1]);
    }
  }
}

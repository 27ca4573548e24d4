package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;

@DisplayName("A link in place of a file that a command writes")
class PlantedLinkTest {
  private static final String TODAY = LocalDate.ofInstant(SystemTime.source().now(), ZoneOffset.UTC).toString();
  private final TestHome tower;
  private final Path base;

  PlantedLinkTest(@TempDir Path directory) throws IOException {
    base = directory.toRealPath();
    tower = new TestHome(base.resolve("home"));
    TestService.declare(tower.root(), "hello", "mode: observe\nsteps: [{ name: one, run: [echo, hello] }]");
    assertThat(tower.tower("run hello").exit()).isZero();
    assertThat(tower.tower("token create first --role agent").exit()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"logs/audit/audit-DAY.jsonl, freeze y# --ttl 1m --reason r",
      "config/.tokens.guard, token create second# --role agent",
      "config/.tokens.reserve, token create third# --role agent",
      "logs/runs/r#/one.log, run hello --request-id r#", "logs/locks/.guard, lock x#", "logs/locks/.x#.fence, lock x#"})
  @DisplayName("It is not followed: the target keeps its content, or is not created")
  void link(String file, String line) throws IOException {
    Path target = base.resolve("target");
    for (String attempt : new String[]{"1", "2"}) {
      Path place = tower.root().resolve(file.replace("DAY", TODAY).replace("#", attempt));
      boolean exists = attempt.equals("1");
      Files.deleteIfExists(target);
      if (exists) {
        Files.writeString(target, "mine");
      }
      Files.createDirectories(place.getParent());
      Files.deleteIfExists(place);
      Files.createSymbolicLink(place, target);

      Outcome outcome = tower.tower(line.replace("#", attempt));

      assertThat(Files.exists(target)).as(outcome.err()).isEqualTo(exists);
      assertThat(!exists || Files.readString(target).equals("mine")).isTrue();
      if (!file.startsWith("logs/locks") && !file.endsWith("reserve")) {
        assertThat(outcome.err()).contains("it is a link, and files are not opened through links; remove it");
      }
    }
  }
}

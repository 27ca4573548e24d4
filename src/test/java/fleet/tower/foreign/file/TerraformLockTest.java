package fleet.tower.foreign.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.harness.Await;

@DisplayName("The lock of Terraform's state")
class TerraformLockTest {
  /** As Terraform 1.11 writes it. */
  private static final String INFO = "{\"ID\":\"b5c5a7f2-7f0c-31a0-3a2b-8a0c6e0b7f6d\",\"Operation\":"
      + "\"OperationTypeApply\",\"Info\":\"\",\"Who\":\"ann@ci-7\",\"Version\":\"1.11.4\",\"Created\":"
      + "\"2026-01-31T10:00:00.123456789Z\",\"Path\":\"terraform.tfstate\"}";

  private final Path directory;
  private final Path file;
  private final ForeignLock lock;

  TerraformLockTest(@TempDir Path directory) {
    this.directory = directory;
    file = directory.resolve(".terraform.tfstate.lock.info");
    lock = Tools.open("terraform:" + directory);
  }

  @Test
  @DisplayName("While it exists, its holder and operation are reported; only Terraform creates or removes it")
  void respected() {
    assertThat(lock.check()).isEqualTo(new ForeignLockState.Free());
    Tools.write(file, INFO);

    assertThat(lock.check()).isEqualTo(new ForeignLockState.Held(
        new ForeignLockState.Occupant("ann@ci-7, Apply", 0, "", Instant.parse("2026-01-31T10:00:00.123456789Z"))));
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    assertThat(file).hasContent(INFO);
  }

  @ParameterizedTest
  @DisplayName("An unreadable lock is doubtful, which counts as held")
  @ValueSource(strings = {"", "{", "{}", "{\"Who\":\"\"}", "[]"})
  void unfit(String text) {
    Tools.write(file, text);
    assertThat(lock.check()).isInstanceOf(ForeignLockState.Doubtful.class);
    assertThat(file).exists();
  }

  @Test
  @DisplayName("Terraform itself is respected while it applies, and blocks nothing afterwards")
  void terraformItself() throws IOException {
    assumeTrue(Tools.exit("sh", "-c", "command -v terraform") == 0, "Terraform is not installed");
    Tools.write(directory.resolve("main.tf"), """
        resource "terraform_data" "wait" {
          provisioner "local-exec" { command = "touch begun; while [ ! -e over ]; do sleep 0.1; done" }
        }
        """);
    assertThat(Tools.exit("terraform", "-chdir=" + directory, "init", "-input=false")).isZero();
    Process terraform = new ProcessBuilder("terraform", "-chdir=" + directory, "apply", "-auto-approve", "-input=false")
        .redirectErrorStream(true).redirectOutput(directory.resolve("out").toFile()).start();
    Await.until("it is at work",
        () -> Files.exists(directory.resolve("begun")) || !terraform.isAlive());

    assertThat(lock.check()).as(Tools.text(directory.resolve("out"))).isInstanceOfSatisfying(
        ForeignLockState.Held.class,
        held -> assertThat(held.occupant().holder()).endsWith("@" + Tools.hostname() + ", Apply"));
    Files.createFile(directory.resolve("over"));
    Await.until("its end", () -> !terraform.isAlive());
    assertThat(lock.check()).isEqualTo(new ForeignLockState.Free());
  }
}

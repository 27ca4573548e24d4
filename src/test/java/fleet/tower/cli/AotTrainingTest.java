package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.answer.Reply;
import fleet.tower.platform.Exit;

@DisplayName("Training the service's AOT cache")
class AotTrainingTest {

  @Test
  @DisplayName("It starts the service with the command that users run, in a temporary home")
  void service() throws Exception {
    AtomicReference<Path> home = new AtomicReference<>();
    AotTraining.ofService(request -> {
      home.set(request.home());
      assertThat(request.home().resolve("intents")).isDirectory();
      return Reply.silent(Exit.DONE);
    });
    assertThat(home.get()).isNotNull().satisfies(it -> assertThat(Files.exists(it)).isFalse());
  }

  @Test
  @DisplayName("A service that does not start fails the training, so that no incomplete cache is installed")
  void failure() {
    assertThatIllegalStateException().isThrownBy(() -> AotTraining.ofService(_ -> Reply.silent(Exit.UNAVAILABLE)));
    assertThatIllegalStateException().isThrownBy(() -> AotTraining.ofService(_ -> {
      throw new IllegalStateException("a call was answered with 500");
    }));
  }
}

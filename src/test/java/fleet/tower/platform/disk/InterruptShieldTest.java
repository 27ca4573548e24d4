package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("File channel operations survive an interrupt")
class InterruptShieldTest {

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  @Test
  @DisplayName("an interrupt closes the channel; the operation is repeated, and the interrupt status is kept")
  void again(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("file");
    AtomicInteger runs = new AtomicInteger();

    InterruptShield.call(() -> {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        if (runs.incrementAndGet() == 1) {
          Thread.currentThread().interrupt();
        }
        return channel.write(ByteBuffer.wrap(new byte[]{1, 2, 3}));
      }
    });

    assertThat(runs).hasValue(2);
    assertThat(Files.readAllBytes(file)).containsExactly(1, 2, 3);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  @Test
  @DisplayName("any other error is thrown")
  void otherErrors() {
    assertThatThrownBy(() -> InterruptShield.call(() -> {
      throw new IOException("disk on fire");
    })).isInstanceOf(IOException.class).hasMessage("disk on fire");
  }
}

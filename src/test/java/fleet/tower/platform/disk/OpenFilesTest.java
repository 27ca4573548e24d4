package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.FileSystemException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Failures for lack of open files")
class OpenFilesTest {
  @Test
  @DisplayName("Only a failure that the limit caused has the remedy")
  void explains() {
    assertThat(OpenFiles.explain(new FileSystemException("/x", null, "Too many open files")))
        .isEqualTo("/x: Too many open files; " + OpenFiles.REMEDY);
    assertThat(OpenFiles.explain(new FileSystemException("/x", null, "Permission denied")))
        .isEqualTo("/x: Permission denied");
  }
}

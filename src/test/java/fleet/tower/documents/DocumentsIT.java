package fleet.tower.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.release.Tarball;

@DisplayName("Every command in the documents exits and prints as documented, with the built release")
@Timeout(300)
class DocumentsIT {
  @TempDir
  private static Path shared = Path.of("");

  private static Path release = Path.of("");

  @TempDir
  private Path sandbox = Path.of("");

  @BeforeAll
  static void unpack() throws IOException {
    release = Tarball.unpack(shared);
  }

  static List<Path> pages() {
    return Page.files().stream().filter(file -> !Page.read(file).sessions().isEmpty())
        .map(Page.BASE::relativize).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  @DisplayName("In their order, all commands exit and print as documented")
  void isAsItSays(Path page) throws IOException {
    try (PageRunner reader = new PageRunner(sandbox, release)) {
      assertThat(reader.type(Page.read(Page.BASE.resolve(page)))).isEmpty();
    }
  }
}

package fleet.tower.documents;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.harness.Extent;
import fleet.tower.harness.TestRelease;
import fleet.tower.release.StartupCaches;
import fleet.tower.release.Tarball;

@DisplayName("Every command in the documents exits and prints as documented, with the built release")
@Timeout(900)
class DocumentsTest {
  private static final int AT_ONCE = 3;

  @TempDir
  private static Path shared = Path.of("");

  private static final Map<Path, Future<List<String>>> DIFFERENCES = new HashMap<>();

  /** The pages wait for their services and timeouts more than for the processor, so several are run at once. */
  @BeforeAll
  static void run() throws IOException {
    Path release = Tarball.unpack(shared);
    if (!TestRelease.replaceWithLinks(release.resolve("lib"))) {
      StartupCaches.train(release.resolve("bin/tower"), shared);
    }
    ExecutorService pages = Executors.newFixedThreadPool(AT_ONCE);
    for (Path page : pages()) {
      Path sandbox = shared.resolve("sandbox" + DIFFERENCES.size());
      DIFFERENCES.put(page, pages.submit(() -> {
        try (PageRunner reader = new PageRunner(sandbox, release)) {
          return reader.type(Page.read(Page.BASE.resolve(page)));
        }
      }));
    }
    pages.shutdown();
  }

  static List<Path> pages() {
    return Extent.share(Page.files().stream().filter(file -> !Page.read(file).sessions().isEmpty())
        .map(Page.BASE::relativize).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  @DisplayName("In their order, all commands exit and print as documented")
  void isAsItSays(Path page) throws Exception {
    assertThat(requireNonNull(DIFFERENCES.get(page)).get()).isEmpty();
  }
}

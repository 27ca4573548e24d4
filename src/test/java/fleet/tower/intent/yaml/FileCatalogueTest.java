package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.intent.Intent;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The catalogue follows its files, and keeps what was good")
class FileCatalogueTest {
  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

  private final ManualTime time = new ManualTime();
  private final Path intents;
  private final Catalogue catalogue;

  FileCatalogueTest(@TempDir Path directory) {
    intents = directory.resolve("intents");
    catalogue = new IntentFiles(intents, time).catalogue();
  }

  private static String text(String name, String version) {
    return IntentMistakesTest.GOOD.replace("name: x", "name: " + name).replace("1.0.0", version);
  }

  private Path write(String name, String text, Instant modified) throws IOException {
    Files.createDirectories(intents);
    Path file = Files.writeString(intents.resolve(name + ".yaml"), text);
    return Files.setLastModifiedTime(file, FileTime.from(modified));
  }

  private String version(String name) {
    return catalogue.find(name).map(Intent::version).orElse("none");
  }

  private void later() {
    time.advance(Duration.ofMillis(500));
  }

  private List<String> wrong() {
    return catalogue.complaints().stream().map(it -> intents.relativize(Path.of(it.file())) + ":" + it.line() + " of "
        + it.intent()).toList();
  }

  @Test
  @DisplayName("Without a directory there is nothing, and nothing is wrong; made later, it is seen")
  void noDirectory() throws IOException {
    assertThat(catalogue.list()).isEmpty();
    assertThat(catalogue.complaints()).isEmpty();
    assertThat(intents).doesNotExist();

    write("b", text("b", "1.0.0"), LONG_AGO);
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(catalogue.list()).isEmpty();
    later();
    assertThat(catalogue.list()).extracting(Intent::name).containsExactly("a", "b");
  }

  @Test
  @DisplayName("A new version is seen within a second; a file that goes takes its intent along")
  void followsFiles() throws IOException {
    Path file = write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    write("a", text("a", "2.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    later();
    assertThat(version("a")).isEqualTo("2.0.0");

    Files.delete(file);
    later();
    assertThat(version("a")).isEqualTo("none");
  }

  @Test
  @DisplayName("A file that becomes wrong keeps its last good version, and says so until it is mended")
  void keepsGoodVersion() throws IOException {
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    write("a", text("a", "2.0.0").replace("mode: mutate", "mode: mutat"), LONG_AGO);
    later();
    assertThat(version("a")).isEqualTo("1.0.0");
    assertThat(wrong()).containsExactly("a.yaml:7 of a");

    write("a", text("a", "3.0.0"), LONG_AGO);
    later();
    assertThat(version("a")).isEqualTo("3.0.0");
    assertThat(catalogue.complaints()).isEmpty();
  }

  @Test
  @DisplayName("More than a thousand files are complained of, and not left out silently")
  void tooMany() throws IOException {
    for (int i = 0; i < 1001; i++) {
      write("a" + i, "kind: nonsense", LONG_AGO);
    }
    assertThat(catalogue.complaints().getFirst().toString()).isEqualTo(intents
        + ":1:1: has 1001 intents, and only the first 1000 in the order of their names are read; take some away");
    Files.delete(intents.resolve("a1000.yaml"));
    later();
    assertThat(wrong()).contains("a1.yaml:1 of a1", "a999.yaml:1 of a999").noneMatch(it -> it.startsWith(":"));
  }

  @Test
  @DisplayName("A file that never was good is no intent, and is complained of; hidden files are nobody's business")
  void neverGood() throws IOException {
    write("a", "kind: nonsense", LONG_AGO);
    write(".#b", text("b", "1.0.0"), LONG_AGO);
    Files.writeString(intents.resolve("README.md"), "# Intents");
    Files.writeString(intents.resolve("c.yml"), text("c", "1.0.0"));
    assertThat(catalogue.list()).isEmpty();
    assertThat(catalogue.complaints()).extracting(Complaint::intent).contains("a", "c.yml").doesNotContain("b");
  }

  @Test
  @DisplayName("Half a file that an editor has just written is left alone until the file is quiet, even if it looks whole")
  void halfWritten() throws IOException {
    String two = text("a", "2.0.0") + "    - name: two\n      run: [echo, two]\n";
    write("a", two, LONG_AGO);
    assertThat(catalogue.find("a").orElseThrow().procedure().steps()).hasSize(2);

    write("a", text("a", "2.0.0"), time.now().plus(Duration.ofMillis(400)));
    later();
    assertThat(catalogue.find("a").orElseThrow().procedure().steps()).hasSize(2);
    assertThat(catalogue.complaints()).isEmpty();

    write("a", two.replace("2.0.0", "3.0.0"), time.now());
    time.advance(Duration.ofMillis(450));
    assertThat(version("a")).isEqualTo("3.0.0");
  }

  @Test
  @DisplayName("A file that stays as it is, is taken, though its time lies ahead of this clock")
  void timeAhead() throws IOException {
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    write("a", text("a", "2.0.0"), time.now().plus(Duration.ofDays(1)));
    later();
    later();
    assertThat(version("a")).isIn("1.0.0", "2.0.0");
    later();
    assertThat(version("a")).isEqualTo("2.0.0");
  }

  @Test
  @DisplayName("A directory that cannot be read leaves everything as it was, and says so")
  void directoryGone() throws IOException {
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    Files.delete(intents.resolve("a.yaml"));
    Files.delete(intents);
    Files.writeString(intents, "a file in the way");
    later();
    assertThat(version("a")).isEqualTo("1.0.0");
    assertThat(catalogue.complaints()).extracting(Complaint::toString)
        .containsExactly(intents + ":1:1: cannot be read: ENOTDIR: not a directory");
  }

  @Test
  @DisplayName("Many ask while files are replaced: everybody sees one whole version or another")
  void manyReaders() throws Exception {
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    Set<String> seen = ConcurrentHashMap.newKeySet();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> readers = List.of(Thread.ofVirtual().unstarted(() -> read(seen, done)),
        Thread.ofPlatform().unstarted(() -> read(seen, done)), Thread.ofPlatform().unstarted(() -> read(seen, done)));
    readers.forEach(Thread::start);
    for (int i = 2; i <= 50; i++) {
      Path fresh = Files.writeString(intents.resolve(".new"), text("a", i + ".0.0"));
      Files.setLastModifiedTime(fresh, FileTime.from(LONG_AGO));
      Files.move(fresh, intents.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      later();
    }
    done.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    later();
    assertThat(version("a")).isEqualTo("50.0.0");
    assertThat(seen).isNotEmpty().allMatch(version -> version.matches("\\d+\\.0\\.0"));
  }

  private void read(Set<String> seen, AtomicBoolean done) {
    while (!done.get()) {
      seen.add(version("a"));
    }
  }
}

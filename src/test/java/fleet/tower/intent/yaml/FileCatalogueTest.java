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

@DisplayName("The catalogue follows its files, and keeps the last valid version")
class FileCatalogueTest {
  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

  private final ManualTime time = new ManualTime();
  private final Path intents;
  private final Catalogue catalogue;
  private int written;

  FileCatalogueTest(@TempDir Path directory) {
    intents = directory.resolve("intents");
    catalogue = new IntentFiles(intents, time, false).catalogue();
  }

  private static String text(String name, String version) {
    return IntentMistakesTest.GOOD.replace("name: x", "name: " + name).replace("1.0.0", version);
  }

  private Path write(String name, String text, Instant modified) throws IOException {
    Files.createDirectories(intents);
    Path file = Files.writeString(intents.resolve(name + ".yaml"), text);
    return modified(file, modified);
  }

  /** Sets a different time for each version: two within a tick of the kernel's clock have the same time of change. */
  private Path modified(Path file, Instant modified) throws IOException {
    written++;
    return Files.setLastModifiedTime(file, FileTime.from(modified.plusNanos(1000L * written)));
  }

  private String version(String name) {
    return catalogue.find(name).map(Intent::version).orElse("none");
  }

  private void later() {
    time.advance(Duration.ofMillis(500));
  }

  private List<String> complaints() {
    return catalogue.complaints().stream().map(it -> intents.relativize(Path.of(it.file())) + ":" + it.line() + " of "
        + it.intent()).toList();
  }

  @Test
  @DisplayName("A missing directory is empty and not an error; once created, it is read")
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
  @DisplayName("A new intent is found at once; a name without a file, or with characters of a path, is not found")
  void findsNewFiles() throws IOException {
    assertThat(version("a")).isEqualTo("none");
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    assertThat(version("b")).isEqualTo("none");
    assertThat(version("../intents/a")).isEqualTo("none");
    assertThat(version("\0")).isEqualTo("none");
  }

  @Test
  @DisplayName("A new version is seen within a second; a deleted file removes its intent")
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
  @DisplayName("What counts now is the text of the file now, also if its size and times are as before")
  void current() throws IOException {
    for (String version : List.of("1.0.0", "2.0.0", "2.0.0", "1.0.0")) {
      Files.createDirectories(intents);
      Path file = Files.writeString(intents.resolve("a.yaml"), text("a", version));
      Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
      assertThat(catalogue.current("a")).map(Intent::version).contains(version);
    }
    assertThat(version("a")).isEqualTo("1.0.0");
  }

  @Test
  @DisplayName("A file that becomes invalid keeps its last valid version and is reported until it is fixed")
  void keepsGoodVersion() throws IOException {
    write("a", text("a", "1.0.0"), LONG_AGO);
    assertThat(version("a")).isEqualTo("1.0.0");
    write("a", text("a", "2.0.0").replace("mode: mutate", "mode: mutat"), LONG_AGO);
    later();
    assertThat(version("a")).isEqualTo("1.0.0");
    assertThat(complaints()).containsExactly("a.yaml:7 of a");

    write("a", text("a", "3.0.0"), LONG_AGO);
    later();
    assertThat(version("a")).isEqualTo("3.0.0");
    assertThat(catalogue.complaints()).isEmpty();
  }

  @Test
  @DisplayName("More than a thousand files are reported, not silently omitted")
  void tooMany() throws IOException {
    for (int i = 0; i < 1001; i++) {
      write("a" + i, "kind: nonsense", LONG_AGO);
    }
    assertThat(catalogue.complaints().getFirst().toString()).isEqualTo(intents
        + ":1:1: has 1001 intents; only the first 1000 by name are read; remove some");
    Files.delete(intents.resolve("a1000.yaml"));
    later();
    assertThat(complaints()).contains("a1.yaml:1 of a1", "a999.yaml:1 of a999").noneMatch(it -> it.startsWith(":"));
  }

  @Test
  @DisplayName("A file that was never valid is reported and yields no intent; hidden files are ignored")
  void neverGood() throws IOException {
    write("a", "kind: nonsense", LONG_AGO);
    write(".#b", text("b", "1.0.0"), LONG_AGO);
    Files.writeString(intents.resolve("README.md"), "# Intents");
    Files.writeString(intents.resolve("c.yml"), text("c", "1.0.0"));
    assertThat(catalogue.list()).isEmpty();
    assertThat(catalogue.complaints()).extracting(Complaint::intent).contains("a", "c.yml").doesNotContain("b");
  }

  @Test
  @DisplayName("A file that is being written is not read until it is quiet, even if it looks complete")
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
  @DisplayName("An unchanged file is read even if its time is in the future")
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
  @DisplayName("An unreadable directory keeps the last state and is reported")
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
  @DisplayName("Concurrent readers see one complete version or another while files are replaced")
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
      modified(fresh, LONG_AGO);
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

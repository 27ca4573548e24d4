package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.Decision;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.HaltStoreContract;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.StorageException;

@DisplayName("Halts in files")
class HaltFilesTest extends HaltStoreContract {
  private final Path home;
  private final Path halts;
  private final FileFixture files;

  HaltFilesTest(@TempDir Path home) {
    this.home = home;
    this.files = new FileFixture(home.resolve("locks"));
    this.halts = files.haltDirectory();
  }

  @AfterEach
  void close() {
    files.close();
  }

  @Override
  protected HaltStore store() {
    return files.halts();
  }

  @Override
  protected LockStore locks() {
    return files.store();
  }

  @Override
  protected void reopen() {
    files.close();
  }

  @Override
  protected void pass(Duration duration) {
    files.time().advance(duration);
  }

  @Override
  protected Instant now() {
    return files.time().now();
  }

  @Override
  protected LockStore locks(HaltSource halts) {
    return files.kept(FileStores.on(files.nio(true), files.time(), halts));
  }

  @Override
  protected void put(String name, String document) {
    FileFixture.write(halts.resolve(name + ".json"), document.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  protected List<String> stored() {
    try (Stream<Path> all = Files.list(halts)) {
      return all.map(file -> file.getFileName().toString().replace(".json", "")).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("The file is private to its owner, and on disk before the response")
  void file() throws IOException {
    store().inForce();
    assertThat(halts).doesNotExist();
    List<String> calls = new ArrayList<>();
    HaltStore tapped = new HaltFiles(halts, new TappedDirectory(files.nio(halts), call -> calls.add(call.operation()
        + " " + call.file())), files.time());
    tapped.place(request("night", Halt.Scope.ALL, null));
    assertThat(calls).containsSubsequence("enter .guard", "create .tmp-night.json.new", "rename night.json", "sync .",
        "leave .guard");
    assertThat(Files.getPosixFilePermissions(halts.resolve("night.json")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(halts.resolve("night.json")).hasContent("""
        {
          "halt_version": "v1",
          "halt": "night",
          "request_id": "req_halt",
          "actor": "ann",
          "actors": [],
          "intents": [],
          "locks": [],
          "all": true,
          "level": "admit",
          "reason": "incident 7",
          "created_at": "2025-12-18T10:30:10Z"
        }
        """);
  }

  @Test
  @DisplayName("A link, a directory and a name that no halt has halt everything; a halt is not read through a link")
  void unfit() throws IOException {
    place(request("good", locks("db"), null));
    Files.createSymbolicLink(halts.resolve("link.json"), halts.resolve("good.json"));
    Files.createDirectory(halts.resolve("directory.json"));
    put("No Name", "{}");
    assertThat(store().inForce().unreadable()).extracting(HaltSource.Unreadable::name)
        .containsExactlyInAnyOrder("link", "directory", "No Name");
    assertThat(store().inForce().refusal(DEPLOY)).isNotNull();
  }

  @Test
  @DisplayName("What is no directory of halts is an error, so that nothing begins")
  void noDirectory() {
    FileFixture.write(halts, new byte[0]);
    assertThatThrownBy(() -> store().inForce()).isInstanceOf(StorageException.class)
        .hasMessageContaining(halts.toString());
  }

  private HaltSource.InForce byFile(String content) {
    FileFixture.write(home.resolve("HALT"), content.getBytes(StandardCharsets.UTF_8));
    return new HaltFile(home.resolve("HALT")).inForce();
  }

  @Test
  @DisplayName("The file HALT halts everything; its first word may be the level, and the rest is the reason")
  void outOfBand() throws IOException {
    assertThat(new HaltFile(home.resolve("HALT")).inForce()).isEqualTo(HaltSource.InForce.NONE);
    String owner = Files.getOwner(home).getName();
    for (List<String> each : List.of(List.of("", "ADMIT", "the file HALT exists"),
        List.of("kill\n", "KILL", "the file HALT exists"), List.of("Drain  bad release\n", "DRAIN", "bad release"),
        List.of("bad release", "ADMIT", "bad release"), List.of("admit\ntwo\nlines", "ADMIT", "two\nlines"),
        List.of("k\u202eill", "KILL", "the file HALT exists"))) {
      assertThat(byFile(each.getFirst()).halts()).singleElement().satisfies(halt -> {
        assertThat(halt.level()).isEqualTo(Halt.Level.valueOf(each.get(1)));
        Instant since = Files.getLastModifiedTime(home.resolve("HALT")).toInstant();
        assertThat(halt.refusal()).isEqualTo(new Decision.Halted("HALT", owner, each.get(2),
            Instant.ofEpochSecond(since.getEpochSecond()), null));
        assertThat(halt.covers(DEPLOY)).isTrue();
      });
    }
    assertThat(byFile("x".repeat(100_000)).halts()).singleElement()
        .satisfies(halt -> assertThat(halt.reason()).hasSize(1000));
    Files.delete(home.resolve("HALT"));
    Files.createDirectory(home.resolve("HALT"));
    assertThat(new HaltFile(home.resolve("HALT")).inForce().refusal(DEPLOY)).isNotNull()
        .satisfies(refusal -> assertThat(refusal.reason()).contains("not a regular file"));
  }
}

package fleet.tower.access.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The operator's token")
class TokenFileTest {
  private final Path state;
  private final Path token;
  private final List<String> told = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  TokenFileTest(@TempDir Path home) {
    state = home.resolve("state");
    token = state.resolve("token");
  }

  private Access open() {
    return new AccessFiles(state, state.resolveSibling("config"), new ManualTime(), warnings::add)
        .open(new SecureRandom(), told::add);
  }

  private static String mode(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  @DisplayName("The first start creates it for its owner only and reports where; later starts keep it")
  void written() throws Exception {
    Access access = open();

    String text = Files.readString(token);
    assertThat(text).matches("tower_[A-Za-z0-9_-]{43}\n");
    assertThat(mode(token)).isEqualTo("rw-------");
    assertThat(mode(state)).isEqualTo("rwx------");
    assertThat(told).containsExactly(token.toString());
    RecognitionOutcome operator = new RecognitionOutcome.Known(Caller.of("operator", Role.OPERATOR, List.of()));
    assertThat(access.recognise(text.strip())).isEqualTo(operator);
    assertThat(access.recognise(text)).isEqualTo(RecognitionOutcome.unknown());
    assertThat(access.recognise("")).isEqualTo(RecognitionOutcome.unknown());

    assertThat(open().recognise(text.strip())).isEqualTo(operator);
    assertThat(Files.readString(token)).isEqualTo(text);
    assertThat(told).hasSize(1);
    assertThat(warnings).isEmpty();
    try (Stream<Path> files = Files.list(state)) {
      assertThat(files).containsExactlyInAnyOrder(token, state.resolve("token-uses"));
    }
  }

  @Test
  @DisplayName("Concurrent first starts all use the same token")
  void together() throws Exception {
    List<Callable<Access>> starts = Stream.<Callable<Access>>generate(() -> this::open).limit(16).toList();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Access>> opened = threads.invokeAll(starts);
      String text = Files.readString(token).strip();
      for (Future<Access> access : opened) {
        assertThat(access.resultNow().recognise(text)).isInstanceOf(RecognitionOutcome.Known.class);
      }
    }
    assertThat(told).hasSize(1);
  }

  @Test
  @DisplayName("A token that others could read is restricted to its owner, with a warning")
  void repaired() throws Exception {
    open();
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-xr-x"));

    open();

    assertThat(mode(token)).isEqualTo("rw-------");
    assertThat(mode(state)).isEqualTo("rwx------");
    assertThat(warnings).containsExactly(
        state + " was open to others (rwxr-xr-x) and is now restricted; if others may have read the token, run"
            + " `tower token rotate operator`",
        token + " was open to others (rw-r--r--) and is now restricted; if others may have read the token, run"
            + " `tower token rotate operator`");
  }

  @ParameterizedTest
  @DisplayName("A file that is not a token is rejected and not changed")
  @ValueSource(strings = {"", "short\n", "two words that are long enough to be a token\n",
      "0123456789012345678901234567890123456789\n0123456789\n"})
  void refused(String text) throws Exception {
    Files.createDirectories(state, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.writeString(token, text);

    assertThatThrownBy(this::open).isInstanceOf(StorageException.class).hasMessage("the operator token " + token
        + " is not one line of 32 to 512 characters without spaces; remove it to have a new one created");
    assertThat(Files.readString(token)).isEqualTo(text);
  }

  @Test
  @DisplayName("A link is not followed")
  void link(@TempDir Path elsewhere) throws Exception {
    Files.createDirectories(state);
    Files.createSymbolicLink(token, Files.writeString(elsewhere.resolve("theirs"), "x".repeat(40)));

    assertThatThrownBy(this::open).isInstanceOf(StorageException.class)
        .hasMessage("the operator token " + token + " is not a file; remove it to have a new one created");
  }

  @Test
  @DisplayName("A home that cannot store a token is reported with a remedy")
  void unwritable() throws Exception {
    Files.writeString(state, "a file in the way");

    assertThatThrownBy(this::open).isInstanceOf(StorageException.class).hasMessage("the operator token " + token
        + " is not available: ENOTDIR: not a directory; make its directory writable for this user, or set TOWER_HOME to a"
        + " home of your own");
  }
}

package fleet.tower.access.file;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.Tokens;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.service.web.access.TestTokens;

@DisplayName("The rotation of tokens in a running service")
class RotationTest {
  /** A minute ahead of this machine, which gives files their modification times: none is too new to be read. */
  private final ManualTime time = new ManualTime(SystemTime.source().now().plusSeconds(60).toString());
  private final List<String> warnings = new ArrayList<>();
  private final Path home;
  private final Path state;

  RotationTest(@TempDir Path home) throws IOException {
    this.home = home;
    this.state = home.resolve("state");
    Files.createDirectories(home.resolve("config"));
  }

  private AccessFiles files() {
    return new AccessFiles(state, home.resolve("config"), time, warnings::add);
  }

  private Access open() {
    return files().open(new SecureRandom(), _ -> {});
  }

  private Tokens tokens() {
    return files().tokens(new SecureRandom());
  }

  private String operator() throws IOException {
    return Files.readString(state.resolve("token")).strip();
  }

  private static String name(RecognitionOutcome outcome) {
    return outcome instanceof RecognitionOutcome.Known(Caller caller) ? caller.name() : "refused";
  }

  private static Tokens.Rotation overlapping(Duration overlap) {
    return new Tokens.Rotation(overlap, null);
  }

  @Test
  @DisplayName("A created or rotated token is valid at once, without any time passing, and so is the previous one")
  void atOnce() {
    Access access = open();
    String first = tokens().issue(new Tokens.TokenRequest("ci", null, Role.AGENT, Scope.ALL, null)).token();
    assertThat(name(access.recognise(first))).isEqualTo("ci");
    for (int i = 0; i < 5; i++) {
      String next = tokens().rotate("ci", overlapping(Duration.ofHours(1))).orElseThrow().token();
      assertThat(name(access.recognise(next))).isEqualTo("ci");
      assertThat(name(access.recognise(first))).isEqualTo("ci");
    }
    time.advance(Duration.ofHours(1));
    assertThat(access.recognise(first)).isInstanceOfSatisfying(RecognitionOutcome.Refused.class,
        it -> assertThat(it.reason()).isEqualTo(RecognitionOutcome.Reason.EXPIRED_TOKEN));
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("The operator's new token is valid at once; the previous one until the overlap ends, also after a restart")
  void operatorOverlaps() throws Exception {
    Access access = open();
    String old = operator();
    Caller before = ((RecognitionOutcome.Known) access.recognise(old)).caller();

    tokens().rotateOperator(Duration.ofMinutes(10));

    assertThat(operator()).isNotEqualTo(old).matches("tower_[A-Za-z0-9_-]{43}");
    for (String file : List.of("token", "token.previous")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve(file))))
          .isEqualTo("rw-------");
      assertThat(state.resolve(file)).content().doesNotContain(old);
    }
    for (Access running : List.of(access, open())) {
      assertThat(name(running.recognise(operator()))).isEqualTo("operator");
      assertThat(name(running.recognise(old))).isEqualTo("operator");
    }
    assertThat(before.credential().isValid()).isTrue();
    time.advance(Duration.ofMinutes(10));
    for (Access running : List.of(access, open())) {
      assertThat(name(running.recognise(operator()))).isEqualTo("operator");
      assertThat(name(running.recognise(old))).isEqualTo("refused");
    }
    assertThat(before.credential().isValid()).isFalse();
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("Without an overlap the operator's previous tokens end within a second, with their streams")
  void operatorAtOnce() throws Exception {
    Access access = open();
    String first = operator();
    Caller before = ((RecognitionOutcome.Known) access.recognise(first)).caller();
    tokens().rotateOperator(Duration.ofHours(1));
    String second = operator();
    tokens().rotateOperator(Duration.ZERO);

    time.advance(Duration.ofSeconds(1));
    access.refresh();
    assertThat(name(access.recognise(first))).isEqualTo("refused");
    assertThat(name(access.recognise(second))).isEqualTo("refused");
    assertThat(name(access.recognise(operator()))).isEqualTo("operator");
    assertThat(before.credential().isValid()).isFalse();
    try (Stream<Path> left = Files.list(state)) {
      assertThat(left.map(it -> it.getFileName().toString())).containsExactlyInAnyOrder("token", "token-uses",
          ".token.guard");
    }
  }

  @Test
  @DisplayName("A crash between the two writes of a rotation leaves the current token valid")
  void operatorCrash() throws Exception {
    Access access = open();
    String current = operator();
    Files.writeString(state.resolve("token.previous"), TestTokens.sha256(current) + " "
        + Timestamps.format(time.now().plusSeconds(1)) + "\n");

    time.advance(Duration.ofMinutes(1));
    assertThat(name(access.recognise(current))).isEqualTo("operator");
    assertThat(name(open().recognise(current))).isEqualTo("operator");
  }

  @Test
  @DisplayName("While the operator's files are invalid or missing, the last valid token applies, and this is reported once")
  void operatorBroken() throws Exception {
    Access access = open();
    String current = operator();
    Files.writeString(state.resolve("token"), "short\n");
    for (int i = 0; i < 3; i++) {
      time.advance(Duration.ofSeconds(1));
      assertThat(name(access.recognise(current))).isEqualTo("operator");
    }
    assertThat(warnings)
        .containsExactly("the operator token " + state.resolve("token") + " is not one line of 32 to 512"
            + " characters without spaces; remove it to have a new one created (the last valid token applies)");
    assertThat(access.complaints()).hasSize(1);

    Files.delete(state.resolve("token"));
    time.advance(Duration.ofSeconds(1));
    assertThat(name(access.recognise(current))).isEqualTo("operator");
    assertThat(access.complaints()).isEmpty();
  }

  @Test
  @DisplayName("The last use of each token is recorded on this host, at most once a minute, and survives a restart")
  void isRecorded() throws Exception {
    TestTokens.write(home, entry("ann", "agent", ""));
    Access access = open();
    Path uses = state.resolve("token-uses").resolve(TestTokens.sha256(tokenOf("ann")));
    assertThat(lastUse()).isEmpty();

    Instant first = time.now();
    access.recognise(tokenOf("ann"));
    access.recognise("not a token");
    assertThat(lastUse()).contains(first);
    time.advance(Duration.ofSeconds(59));
    access.recognise(tokenOf("ann"));
    assertThat(lastUse()).contains(first);
    time.advance(Duration.ofSeconds(1));
    access.recognise(tokenOf("ann"));
    assertThat(lastUse()).contains(first.plusSeconds(60));
    assertThat(uses).isEmptyFile();
    try (Stream<Path> files = Files.list(uses.resolveSibling(""))) {
      assertThat(files).containsExactly(uses);
    }

    open();
    assertThat(lastUse()).contains(first.plusSeconds(60));
    tokens().revoke("ann");
    open();
    assertThat(uses).doesNotExist();
  }

  private Optional<Instant> lastUse() {
    Tokens tokens = tokens();
    return tokens.lastUse(tokens.list().getFirst().current());
  }

  @Test
  @DisplayName("A call succeeds although its use cannot be recorded")
  void isNotRecorded() throws Exception {
    TestTokens.write(home, entry("ann", "agent", ""));
    Access access = open();
    Files.writeString(state.resolve("token-uses"), "a file in the way");

    assertThat(name(access.recognise(tokenOf("ann")))).isEqualTo("ann");
    assertThat(lastUse()).isEmpty();
  }
}

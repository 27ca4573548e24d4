package fleet.tower.service.web.call;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.access.file.AccessFiles;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.TokenRevoked;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.service.web.access.TestTokens;

@DisplayName("Tokens are checked without calls")
class CredentialWatchTest {
  private static final RequestId BY = new RequestId("r1");
  private final ManualTime time = new ManualTime();
  private final Path home;
  private final WaitingCalls endings = new WaitingCalls(Places.ofOneCaller(10));
  private final Access access;
  private int writes;

  CredentialWatchTest(@TempDir Path home) throws Exception {
    this.home = home;
    write(entry("ann", "operator", "") + entry("bob", "agent", ""));
    this.access = new AccessFiles(home.resolve("state"), home.resolve("config"), time, _ -> {})
        .open(new SecureRandom(), _ -> {});
    new CredentialWatch(access, endings, time).afterPropertiesSet();
  }

  /** A time in the past, different on each call. */
  private Path write(String text) throws Exception {
    Path file = TestTokens.write(home, text);
    Files.setLastModifiedTime(file, FileTime.from(time.now().minusSeconds(3600 - 10 * ++writes)));
    return file;
  }

  private Caller caller(String name) {
    return access.recognise(tokenOf(name)) instanceof RecognitionOutcome.Known(Caller caller)
        ? caller
        : Caller.of(name, Role.VIEWER, List.of()).with(() -> false);
  }

  @Test
  @DisplayName("A token revoked a second ago stays revoked, whatever happens to the file afterwards")
  void mistakes() throws Exception {
    write(entry("bob", "agent", ""));
    time.advance(Duration.ofSeconds(1));

    Path file = write(entry("bob", "agent", "") + "- nmae: typo\n");
    time.advance(Duration.ofSeconds(30));
    assertThat(access.complaints()).isNotEmpty();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(access.recognise(tokenOf("bob"))).isInstanceOf(RecognitionOutcome.Known.class);

    write(entry("bob", "agent", "") + entry("ann", "operator", ""));
    time.advance(Duration.ofSeconds(1));
    write(entry("bob", "agent", ""));
    time.advance(Duration.ofSeconds(1));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    time.advance(Duration.ofSeconds(30));
    assertThat(access.complaints()).singleElement().asString().contains("is writable by users other than its owner");
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(RecognitionOutcome.unknown());
  }

  @Test
  @DisplayName("A wait ends when its caller's token is revoked, gets a lower role, or expires; others continue")
  void ends() throws Exception {
    write(entry("ann", "operator", "") + entry("bob", "agent", "")
        + entry("eve", "viewer", "expires: 2026-01-01T00:01:00Z"));
    time.advance(Duration.ofSeconds(1));
    List<String> ended = new ArrayList<>();
    List<WaitingCalls.Revocation> waits = List.of(endings.whenRevoked(caller("ann"), () -> ended.add("ann")),
        endings.whenRevoked(caller("bob"), () -> ended.add("bob")),
        endings.whenRevoked(caller("eve"), () -> ended.add("eve")));

    write(entry("ann", "agent", "") + entry("bob", "operator", "")
        + entry("eve", "viewer", "expires: 2026-01-01T00:01:00Z"));
    time.advance(Duration.ofSeconds(1));
    assertThat(ended).containsOnly("ann");
    waits.getFirst().close();
    ended.clear();
    time.advance(Duration.ofSeconds(58));
    assertThat(ended).containsOnly("eve");
    waits.getLast().close();
    ended.clear();
    write("");
    time.advance(Duration.ofSeconds(1));
    assertThat(ended).containsOnly("bob");
  }

  @Test
  @DisplayName("A grant at the moment of the revocation is returned, and the caller is rejected")
  void givenBack() {
    AtomicBoolean good = new AtomicBoolean(true);
    Caller caller = Caller.of("ann", Role.AGENT, List.of()).with(good::get);
    Cancellation client = new Cancellation();
    List<String> undone = new ArrayList<>();
    UnaryOperator<String> undo = result -> {
      undone.add(result);
      return "undone";
    };
    String kept = endings.during("/locks/x", BY, caller, client, _ -> "kept", undo);
    assertThat(kept).isEqualTo("kept");

    assertThatThrownBy(() -> endings.during("/locks/x", BY, caller, client, _ -> {
      good.set(false);
      return "granted";
    }, undo)).isInstanceOf(TokenRevoked.class);
    assertThat(undone).containsExactly("granted");
  }

  @Test
  @DisplayName("A wait that begins with an invalid token is cancelled at the next check")
  void begunLate() {
    Caller caller = Caller.of("ann", Role.AGENT, List.of()).with(() -> false);
    List<Boolean> cancelled = new ArrayList<>();
    assertThatThrownBy(() -> endings.during("/locks/x", BY, caller, new Cancellation(), cancellation -> {
      time.advance(Duration.ofSeconds(1));
      return cancelled.add(cancellation.isCancelled());
    }, it -> it)).isInstanceOf(TokenRevoked.class);
    assertThat(cancelled).containsExactly(true);
  }
}

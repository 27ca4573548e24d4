package fleet.tower.access.file;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.sha256;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.platform.Finding;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.service.web.access.TestTokens;

@DisplayName("The tokens that an operator creates for others")
class TokensFileTest {
  private final Path home;
  private final Path file;
  private final List<String> warnings = new ArrayList<>();
  private ManualTime time = new ManualTime();
  private TokenLifetime lifetime = TokenLifetime.ANY;
  private Instant written = Instant.EPOCH;

  TokensFileTest(@TempDir Path home) {
    this.home = home;
    this.file = home.resolve("config/tokens.yaml");
  }

  @BeforeEach
  void directory() throws IOException {
    Files.createDirectories(home.resolve("config"));
    written = time.now().minusSeconds(3600);
  }

  private AccessFiles files() {
    return new AccessFiles(home.resolve("state"), home.resolve("config"), lifetime, time, warnings::add);
  }

  private Access open() {
    return files().open(new SecureRandom(), _ -> {});
  }

  /** Long ago, and each time at another moment. */
  private void write(String text) throws IOException {
    TestTokens.write(home, text);
    written = written.plusSeconds(10);
    Files.setLastModifiedTime(file, FileTime.from(written));
  }

  private void later() {
    time.advance(Duration.ofSeconds(1));
  }

  private static RecognitionOutcome known(String name, Role role) {
    return new RecognitionOutcome.Known(Caller.of(name, role, List.of()));
  }

  private List<String> complaints() {
    return warnings.stream().map(it -> it.replace(file.toString(), "FILE")).toList();
  }

  @Test
  @DisplayName("Each has a name, a role, intents and an expiry, and is identified by its digest")
  void known() throws Exception {
    write("# given by otto\n" + entry("eve", "viewer", "") + entry("ann", "agent", "intents: [deploy-*, ping]")
        + entry("bob", "operator", "expires: 2026-01-01T00:00:10Z"));
    Access access = open();

    assertThat(access.recognise(tokenOf("eve"))).isEqualTo(known("eve", Role.VIEWER));
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(new RecognitionOutcome.Known(
        Caller.of("ann", Role.AGENT, List.of(NamePattern.intent("deploy-*"), NamePattern.intent("ping")))));
    assertThat(access.recognise(tokenOf("bob"))).isEqualTo(known("bob", Role.OPERATOR));
    assertThat(access.recognise(tokenOf("eve") + "x")).isEqualTo(RecognitionOutcome.unknown());
    assertThat(access.recognise(sha256(tokenOf("eve")))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(warnings).isEmpty();
    assertThat(access.complaints()).isEmpty();
  }

  @Test
  @DisplayName("An intent may be limited to parameter values, also numbers; locks, mailboxes and projects are limited"
      + " by name")
  void scope() throws Exception {
    write(entry("ann", "agent", """
        intents:
          - ping
          - name: deploy-*
            params:
              environment: [staging, t*]
              replicas: [2]
        locks: [ci-*]
        mailboxes: [jobs-*]
        tasks: [Web *, '7']
        approve: [deploy-*]
        owner: ada""") + entry("eve", "viewer", "approve: []"));
    Caller ann = ((RecognitionOutcome.Known) open().recognise(tokenOf("ann"))).caller();

    assertThat(ann.scope()).hasToString("Scope[intents=[ping, deploy-* (environment staging or t*, replicas 2)],"
        + " locks=[ci-*], mailboxes=[jobs-*], tasks=[Web *, 7], approve=[deploy-*]]");
    assertThat(ann.principal()).isEqualTo("ada");
    assertThat(open().recognise(tokenOf("eve"))).isEqualTo(known("eve", Role.VIEWER));
    assertThat(ann.mayRun("deploy-app", Map.of("environment", "test", "replicas", "2"))).isTrue();
    assertThat(ann.mayRun("deploy-app", Map.of("environment", "test", "replicas", "3"))).isFalse();
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("A token that was replaced is valid until it expires, and so is the new one")
  void previous() throws Exception {
    write(entry("ann", "agent", "previous:\n  - {sha256: " + sha256(tokenOf("old"))
        + ", expires: 2026-01-01T00:00:10Z}"));
    Access access = open();
    Caller old = ((RecognitionOutcome.Known) access.recognise(tokenOf("old"))).caller();
    assertThat(old.name()).isEqualTo("ann");
    assertThat(old.credential().expires()).isEqualTo("2026-01-01T00:00:10Z");
    assertThat(old.credential().isValid()).isTrue();

    time.advance(Duration.ofSeconds(10));
    assertThat(access.recognise(tokenOf("old")))
        .isEqualTo(new RecognitionOutcome.Refused(RecognitionOutcome.Reason.EXPIRED_TOKEN, "ann",
            "the token 'ann' expired at 2026-01-01T00:00:10Z"));
    assertThat(old.credential().isValid()).isFalse();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.AGENT));
  }

  @Test
  @DisplayName("An unknown token does not cause a read of a file that an editor may still be writing")
  void halfWritten() throws Exception {
    write(entry("ann", "agent", ""));
    Access access = open();
    TestTokens.write(home, "");
    Files.setLastModifiedTime(file, FileTime.from(time.now()));
    for (int i = 0; i < 3; i++) {
      assertThat(access.recognise("unknown")).isEqualTo(RecognitionOutcome.unknown());
    }
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.AGENT));
  }

  @Test
  @DisplayName("It expires in exactly the second that the file states, by the clock, without reading the file")
  void expires() throws Exception {
    write(entry("bob", "operator", "expires: 2026-01-01T00:00:10Z"));
    Access access = open();

    time.advance(Duration.ofMillis(9_999));
    assertThat(access.recognise(tokenOf("bob"))).isEqualTo(known("bob", Role.OPERATOR));
    time.advance(Duration.ofMillis(1));
    assertThat(access.recognise(tokenOf("bob")))
        .isEqualTo(new RecognitionOutcome.Refused(RecognitionOutcome.Reason.EXPIRED_TOKEN,
            "bob", "the token 'bob' expired at 2026-01-01T00:00:10Z"));
  }

  @Test
  @DisplayName("A revocation takes effect within a second; a deleted file has no tokens")
  void reread() throws Exception {
    write(entry("ann", "agent", "") + entry("bob", "agent", ""));
    Access access = open();
    assertThat(access.recognise(tokenOf("bob"))).isEqualTo(known("bob", Role.AGENT));

    write(entry("ann", "viewer", "") + entry("eve", "viewer", ""));
    later();
    assertThat(access.recognise(tokenOf("bob"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.VIEWER));
    assertThat(access.recognise(tokenOf("eve"))).isEqualTo(known("eve", Role.VIEWER));

    Files.delete(file);
    later();
    assertThat(access.recognise(tokenOf("eve"))).isEqualTo(RecognitionOutcome.unknown());
    write("# nobody\n");
    later();
    assertThat(access.recognise(tokenOf("eve"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("An invalid file leaves the last valid one in force, and is reported once, with file, line and column")
  void broken() throws Exception {
    write(entry("ann", "agent", ""));
    Access access = open();
    write(entry("ann", "agent", "").replace("role", "rol"));
    later();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.AGENT));
    later();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.AGENT));
    assertThat(complaints()).containsExactly(
        "FILE:1:3: is missing role (the last valid tokens apply)",
        "FILE:2:3: unknown key 'rol'; did you mean 'role'? (the last valid tokens apply)");
    assertThat(access.complaints()).hasSize(2);
    assertThat(files().examination().examine()).filteredOn(it -> it.check().equals("tokens"))
        .extracting(Finding::severity).containsOnly(Finding.Severity.FAIL);

    write(entry("ann", "viewer", ""));
    later();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.VIEWER));
    assertThat(access.complaints()).isEmpty();
    assertThat(complaints()).hasSize(2);
  }

  @Test
  @DisplayName("A file that is invalid from the start admits only the operator, and is reported")
  void brokenFromTheStart() throws Exception {
    write("- [\n");
    Access access = open();

    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(access.recognise(Files.readString(home.resolve("state/token")).strip()))
        .isEqualTo(known("operator", Role.OPERATOR));
    assertThat(complaints()).singleElement().asString().startsWith("FILE:2:1: is not valid YAML")
        .endsWith("(only the operator is admitted)");
  }

  @ParameterizedTest
  @DisplayName("A mistake is reported with its position, without repeating a digest or a token")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "`{name: ann, role: agent}` | 1:3: is missing sha256",
      "`{name: ann, role: boss, sha256: HASH}` | 1:21: must be one of viewer, agent, operator, not 'boss'",
      "`{name: ann, role: agent, sha256: tower_secret}` | 1:36: must be 64 of 0-9 and a-f, as sha256sum prints it for the token without a line end",
      "`{name: ann, role: agent, sha256: 12345}` | 1:36: must be a string; put it in quotes",
      "`{name: ann, role: agent, token: tower_secret}` | 1:3: is missing sha256",
      "`tower_secret` | 1:3: must be a mapping of keys to values, one key per line",
      "`{name: -ann, role: agent, sha256: HASH}` | 1:10: must be letters, digits and . _ @ -, with a letter or digit at both ends, not '-ann'",
      "`{name: operator, role: agent, sha256: HASH}` | 1:3: name 'operator' is reserved for the service; choose another",
      "`{name: ann, role: agent, sha256: HASH, expires: tomorrow}` | 1:111: must be a UTC time like 2026-01-31T08:00:00Z, not 'tomorrow'",
      "`{name: ann, role: agent, sha256: HASH, expires: 2026-02-31T00:00:00Z}` | 1:111: is not a calendar date",
      "`{name: ann, role: agent, sha256: HASH, intents: [Deploy]}` | 1:112: must be the name of an intent, in which * stands for any characters, not 'Deploy'",
      "`{name: ann, role: agent, sha256: HASH, intents: []}` | 1:111: is an empty list; give at least one item",
      "`{name: ann, role: agent, sha256: HASH, intents: [{nam: x}]}` | 1:112: is missing name",
      "`{name: ann, role: agent, sha256: HASH, intents: [{name: x, parms: {}}]}` | 1:122: unknown key 'parms'; did you mean 'params'?",
      "`{name: ann, role: agent, sha256: HASH, intents: [{name: X}]}` | 1:119: must be the name of an intent, in which * stands for any characters, not 'X'",
      "`{name: ann, role: agent, sha256: HASH, intents: [{name: x, params: {env: staging}}]}` | 1:136: must be a list: [one, two], or one line beginning with - per item, not 'staging'",
      "`{name: ann, role: agent, sha256: HASH, intents: [{name: x, params: {env: []}}]}` | 1:136: is an empty list; give at least one item",
      "`{name: ann, role: agent, sha256: HASH, intents: [{name: x, params: {Env: [a]}}]}` | 1:131: must be the name of a parameter: 1 to 64 of a-z 0-9 _, beginning with a letter, not 'Env'",
      "`{name: ann, role: agent, sha256: HASH, lock: [a]}` | 1:102: unknown key 'lock'; did you mean 'locks'?",
      "`{name: ann, role: agent, sha256: HASH, locks: [A]}` | 1:110: must be the name of a lock, in which * stands for any characters, not 'A'",
      "`{name: ann, role: viewer, sha256: HASH, locks: [a]}` | 1:3: locks are for agents: a viewer holds no locks",
      "`{name: ann, role: agent, sha256: HASH, mailbox: [a]}` | 1:102: unknown key 'mailbox'; did you mean 'mailboxes'?",
      "`{name: ann, role: agent, sha256: HASH, mailboxes: [A]}` | 1:114: must be the name of a mailbox, in which * stands for any characters, not 'A'",
      "`{name: ann, role: agent, sha256: HASH, mailboxes: [a**]}` | 1:3: mailbox pattern 'a**' must have 1 to 128 characters of a-z, 0-9, -, _ and single *; for example jobs-*",
      "`{name: ann, role: viewer, sha256: HASH, mailboxes: [a]}` | 1:3: mailboxes are for agents: a viewer uses no mailboxes",
      "`{name: ann, role: agent, sha256: HASH, tasks: []}` | 1:109: is an empty list; give at least one item",
      "`{name: ann, role: agent, sha256: HASH, tasks: [7]}` | 1:110: must be a string; put it in quotes, not '7'",
      "`{name: ann, role: agent, sha256: HASH, tasks: [' ']}` | 1:3: project pattern ' ' must have 1 to 128 printable characters and single *; for example web-*",
      "`{name: ann, role: agent, sha256: HASH, tasks: [\"a\\tb\"]}` | 1:3: project pattern 'a\\u0009b' must have 1 to 128 printable characters and single *; for example web-*",
      "`{name: ann, role: operator, sha256: HASH, tasks: [a]}` | 1:3: tasks are for agents: an operator may do everything",
      "`{name: ann, role: agent, sha256: HASH, approve: [A]}` | 1:112: must be the name of an intent, in which * stands for any characters, not 'A'",
      "`{name: ann, role: viewer, sha256: HASH, approve: [a**]}` | 1:3: intent pattern 'a**' must have 1 to 64 characters of a-z, 0-9, - and single *; for example deploy-*",
      "`{name: ann, role: viewer, sha256: HASH, owner: 7}` | 1:110: must be a string; put it in quotes, not '7'",
      "`{name: ann, role: viewer, sha256: HASH, owner: oidc:ada}` | 1:3: owner 'oidc:ada' must be a person, such as ada, in at most 512 printable characters without a space at either end, or a login as oidc:ISSUER#SUBJECT",
      "`{name: ann, role: agent, sha256: HASH, previous: [{sha256: OTHER}]}` | 1:113: is missing expires",
      "`{name: ann, role: agent, sha256: HASH, previous: [{sha256: HASH, expires: 2026-01-01T00:00:00Z}]}` | 1:122: another entry has this token, on line 1",
      "`{name: ann, role: viewer, sha256: HASH, intents: [x]}` | 1:3: intents are for agents: a viewer runs no intents",
      "`{name: ann, role: operator, sha256: HASH, intents: [x]}` | 1:3: intents are for agents: an operator may do everything",
      "`{name: ann, role: agent, sha256: HASH}\n- {name: ann, role: agent, sha256: OTHER}` | 2:10: another token has this name, on line 1",
      "`{name: ann, role: agent, sha256: HASH}\n- {name: bob, role: agent, sha256: HASH}` | 2:36: another entry has this token, on line 1",
      "`&a {name: ann, role: agent, sha256: HASH}` | 1:3: an anchor (&a) is not supported; repeat the value instead"})
  void mistakes(String item, String expected) throws Exception {
    write("- " + item.replace("HASH", sha256("x")).replace("OTHER", sha256("y")) + "\n");

    open();
    assertThat(complaints()).first().asString()
        .isEqualTo("FILE:" + expected + " (only the operator is admitted)");
    assertThat(complaints()).noneMatch(it -> it.contains("secret") || it.contains(sha256("x").substring(0, 8)));
  }

  @ParameterizedTest
  @DisplayName("A file that others can write is rejected; one that everyone can read causes a warning")
  @CsvSource(delimiter = '|', value = {"rw-rw---- | others", "rw----rw- | others", "rw----r-- | all",
      "r--r----- | fine",
      "rw------- | fine"})
  void modes(String mode, String outcome) throws Exception {
    write(entry("ann", "agent", ""));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));

    RecognitionOutcome ann = open().recognise(tokenOf("ann"));
    switch (outcome) {
      case "others" -> {
        assertThat(ann).isEqualTo(RecognitionOutcome.unknown());
        assertThat(complaints()).containsExactly("FILE:1:1: is writable by users other than its owner (" + mode
            + "), who could become operators; chmod 600 it (only the operator is admitted)");
      }
      case "all" -> {
        assertThat(ann).isEqualTo(known("ann", Role.AGENT));
        assertThat(complaints()).containsExactly("FILE:1:1: warning: is readable by everyone (" + mode
            + "); chmod 600 it");
      }
      default -> {
        assertThat(ann).isEqualTo(known("ann", Role.AGENT));
        assertThat(warnings).isEmpty();
      }
    }
  }

  @Test
  @DisplayName("A file of another user is rejected, since that user could become an operator")
  void foreignOwner() throws Exception {
    assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).isEqualTo(0);
    write(entry("ann", "agent", ""));
    Files.setAttribute(file, "unix:uid", 12345);

    assertThat(open().recognise(tokenOf("ann"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(complaints()).containsExactly("FILE:1:1: belongs to user id 12345, who could become an operator;"
        + " chown it to root or to the service's user (only the operator is admitted)");
  }

  @Test
  @DisplayName("A Kubernetes Secret is replaced as a whole, through a link in a directory that is a link itself")
  void secretVolume() throws Exception {
    Path config = home.resolve("config");
    volume("..1", entry("ann", "agent", ""));
    Files.createSymbolicLink(config.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(file, Path.of("..data/tokens.yaml"));
    Access access = open();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(known("ann", Role.AGENT));

    volume("..2", entry("bob", "agent", ""));
    Files.createSymbolicLink(config.resolve("..data_tmp"), Path.of("..2"));
    Files.move(config.resolve("..data_tmp"), config.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    later();
    assertThat(access.recognise(tokenOf("ann"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(access.recognise(tokenOf("bob"))).isEqualTo(known("bob", Role.AGENT));
    assertThat(warnings).isEmpty();
  }

  private void volume(String name, String text) throws IOException {
    Path secret = Files.createDirectories(file.resolveSibling(name)).resolve("tokens.yaml");
    Files.writeString(secret, text);
    Files.setLastModifiedTime(secret, FileTime.from(time.now().minusSeconds(60)));
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("r--r-----"));
  }

  @ParameterizedTest
  @DisplayName("A link that leads out of the directory is rejected")
  @ValueSource(strings = {"../elsewhere.yaml", "/etc/hostname"})
  void linkOut(String target) throws Exception {
    Files.writeString(home.resolve("elsewhere.yaml"), entry("ann", "agent", ""));
    Files.createSymbolicLink(file, Path.of(target));

    assertThat(open().recognise(tokenOf("ann"))).isEqualTo(RecognitionOutcome.unknown());
    assertThat(complaints()).singleElement().asString().startsWith("FILE:1:1: is a symbolic link that leads out");
  }

  @Test
  @DisplayName("The doctor reports expired tokens, and that all tokens are valid")
  void examined() throws Exception {
    write(entry("ann", "agent", ""));
    assertThat(findings()).containsExactly(Finding.ok("tokens", "1, all valid"));
    write(entry("ann", "agent", "expires: 2025-12-31T23:59:59Z"));
    assertThat(findings()).containsExactly(Finding.warn("tokens", "'ann' has expired", "tower token revoke ann"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
    assertThat(findings()).extracting(Finding::severity).containsExactly(Finding.Severity.FAIL);
  }

  @Test
  @DisplayName("With a lifetime, a token without the time of its creation is not accepted until it is rotated")
  void unknownAge() throws Exception {
    write(entry("ann", "agent", "") + entry("bob", "agent", "created: 2025-12-31T23:00:00Z"));
    lifetime = new TokenLifetime(Duration.ofDays(1));
    Access access = open();
    assertThat(access.recognise(tokenOf("ann"))).isInstanceOf(RecognitionOutcome.Refused.class);
    assertThat(access.recognise(tokenOf("bob"))).isInstanceOf(RecognitionOutcome.Known.class);
    assertThat(findings()).containsExactly(
        Finding.warn("tokens", "'ann' is not accepted: its age is unknown", "tower token rotate ann"));
    assertThat(files().tokens(new SecureRandom()).rotate("ann", new Tokens.Rotation(Duration.ZERO, null))).isPresent();
    assertThat(findings()).containsExactly(Finding.ok("tokens", "2, all valid"));
  }

  private List<Finding> findings() {
    return files().examination().examine().stream().filter(it -> it.check().equals("tokens")).toList();
  }
}

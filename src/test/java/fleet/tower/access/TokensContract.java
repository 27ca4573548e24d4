package fleet.tower.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Access.RecognitionOutcome.Known;
import fleet.tower.access.Access.RecognitionOutcome.Reason;
import fleet.tower.access.Access.RecognitionOutcome.Refused;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.harness.Await;
import fleet.tower.platform.Finding;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.Timestamps;

/** The contract of stored tokens, and of the access control that a service derives from them. */
public abstract class TokensContract {
  private static final Duration HOUR = Duration.ofHours(1);

  /** A minute ahead of this machine, which gives files their modification times: none is too new to be read. */
  protected final ManualTime time = new ManualTime(SystemTime.source().now().plusSeconds(60).toString());

  /** Limits the age of the tokens that are created, and that services accept which start from now on. */
  protected abstract void limit(TokenLifetime lifetime);

  /** The health check of the tokens. */
  protected abstract List<Finding> examine();

  /** The tokens, for changes by another process than the service. */
  protected abstract Tokens tokens();

  /** The access control of a service that starts now. */
  protected abstract Access open();

  /** Everything that is stored for other hosts or processes, besides the file of the operator's token. */
  protected abstract String stored();

  /** The operator's token in the file of this host. */
  protected abstract String operator();

  private Tokens.Issued create(String name, @Nullable Instant expires) {
    return tokens().issue(new Tokens.TokenRequest(name, "Ada #1", Role.AGENT, Scope.ALL, expires));
  }

  private static Tokens.Rotation overlapping(Duration overlap) {
    return new Tokens.Rotation(overlap, null);
  }

  private static Optional<Caller> caller(Access access, String token) {
    return access.recognise(token) instanceof Known(Caller caller) ? Optional.of(caller) : Optional.empty();
  }

  private static String name(Access access, String token) {
    return caller(access, token).map(Caller::name).orElse("refused");
  }

  /** Waits for the end of a token as a service does, which refreshes twice a second. */
  private void awaitEnd(Access access, String token) {
    Await.until("the token is refused", () -> {
      time.advance(Duration.ofMillis(500));
      access.refresh();
      return caller(access, token).isEmpty();
    });
  }

  @Test
  @DisplayName("A created token is accepted at once, with its rights and nothing else, and its text is stored nowhere")
  void created() {
    Access access = open();
    Scope scope = new Scope(
        List.of(AllowedIntents.any(NamePattern.intent("ping")), new AllowedIntents(NamePattern.intent("deploy-*"),
            Map.of("environment", List.of(new ValuePattern("staging"), new ValuePattern("te\"st-*")), "app",
                List.of(new ValuePattern("ü"))))),
        List.of(NamePattern.lock("ci-*"), NamePattern.lock("x")), List.of(NamePattern.mailbox("jobs-*")),
        List.of(NamePattern.project("Web *"), NamePattern.project("ü")), List.of(NamePattern.intent("deploy-*")));
    String owner = "oidc:https://login.example.org/realms/\"ü\"#5f-1";
    Instant expires = Timestamps.wholeSecond(time.now().plus(HOUR));
    Tokens.Issued ci = tokens().issue(new Tokens.TokenRequest("ci", owner, Role.AGENT, scope, expires));
    Tokens.Issued eve = tokens().issue(new Tokens.TokenRequest("eve", null, Role.VIEWER, Scope.ALL, null));

    assertThat(caller(access, ci.token())).contains(Caller.of("ci", owner, Role.AGENT, scope));
    assertThat(caller(access, eve.token())).contains(Caller.of("eve", Role.VIEWER, Scope.ALL));
    assertThat(caller(open(), ci.token())).contains(Caller.of("ci", owner, Role.AGENT, scope));
    assertThat(tokens().list()).containsExactly(ci.grant(), eve.grant());
    assertThat(ci.grant().expires()).isEqualTo(expires);
    assertThat(stored()).contains(Digests.of(ci.token())).doesNotContain(ci.token(), eve.token(), operator());
    assertThat(List.of(stored().split("[^A-Za-z0-9_-]+", -1))).hasSizeGreaterThan(10)
        .allSatisfy(word -> assertThat(access.recognise(word)).isEqualTo(RecognitionOutcome.unknown()));
    assertThat(List.of(ci.grant().current().sha256(), "", "tower_"))
        .allSatisfy(word -> assertThat(access.recognise(word)).isEqualTo(RecognitionOutcome.unknown()));
  }

  @Test
  @DisplayName("A name can be used once; a reserved or invalid one, or an invalid owner, not at all")
  void names() {
    create("ci", null);
    for (String name : List.of("ci", "operator", "schedule", "policy", "a/b")) {
      assertThatThrownBy(() -> create(name, null)).isInstanceOf(InvalidValue.class);
    }
    assertThat(tokens().list()).extracting(Grant::name).containsExactly("ci");
    for (String owner : List.of("", " ", " ada", "ada ", "a\u200bda", "a".repeat(513), "oidc:ada", "oidc:#1")) {
      assertThatThrownBy(() -> tokens().issue(new Tokens.TokenRequest("bob", owner, Role.AGENT, Scope.ALL, null)))
          .isInstanceOf(InvalidValue.class).hasMessageStartingWith("owner '")
          .hasMessageEndingWith("' must be a person, such as ada, in at most 512 printable characters without a space"
              + " at either end, or a login as oidc:ISSUER#SUBJECT");
    }
    assertThat(tokens().rotate("bob", overlapping(HOUR))).isEmpty();
    assertThat(tokens().revoke("bob")).isEmpty();
    assertThat(tokens().revoke("operator")).isEmpty();
  }

  @Test
  @DisplayName("A rotation keeps the rights; the previous tokens end with their overlap, the newest first in the list")
  void rotated() {
    Access access = open();
    String first = create("ci", null).token();
    String second = tokens().rotate("ci", overlapping(HOUR)).orElseThrow().token();
    Tokens.Issued third = tokens().rotate("ci", overlapping(HOUR.multipliedBy(2))).orElseThrow();

    assertThat(List.of(first, second, third.token()))
        .allSatisfy(token -> assertThat(caller(access, token))
            .contains(Caller.of("ci", "Ada #1", Role.AGENT, Scope.ALL)));
    assertThat(tokens().list()).containsExactly(third.grant());
    assertThat(third.grant().previous()).extracting(Generation::sha256)
        .containsExactly(Digests.of(second), Digests.of(first));
    time.advance(HOUR);
    assertThat(access.recognise(first)).isInstanceOfSatisfying(Refused.class,
        it -> assertThat(it.reason()).isEqualTo(Reason.EXPIRED_TOKEN));
    assertThat(name(access, second)).isEqualTo("ci");

    String last = tokens().rotate("ci", overlapping(Duration.ZERO)).orElseThrow().token();
    assertThat(name(access, last)).isEqualTo("ci");
    awaitEnd(access, third.token());
    assertThat(access.recognise(second)).isEqualTo(RecognitionOutcome.unknown());
    assertThat(tokens().list().getFirst().previous()).isEmpty();
  }

  @Test
  @DisplayName("At most ten previous tokens are valid; an expired token needs a new expiry")
  void limits() {
    create("ci", null);
    for (int i = 0; i < Grant.MAX_PREVIOUS; i++) {
      tokens().rotate("ci", overlapping(HOUR));
    }
    List<Grant> full = tokens().list();
    assertThatThrownBy(() -> tokens().rotate("ci", overlapping(HOUR))).isInstanceOf(InvalidValue.class);
    assertThat(tokens().list()).isEqualTo(full);

    create("old", Timestamps.wholeSecond(time.now().plusSeconds(60)));
    time.advance(Duration.ofMinutes(1));
    assertThatThrownBy(() -> tokens().rotate("old", overlapping(HOUR))).isInstanceOf(InvalidValue.class);
    Tokens.Issued renewed = tokens().rotate("old", new Tokens.Rotation(HOUR, new Tokens.Expiry(null))).orElseThrow();
    assertThat(renewed.grant().expires()).isNull();
  }

  @Test
  @DisplayName("AISVS 9.4.3 With a lifetime, no token is accepted that was created or rotated longer ago, whatever its "
      + "expiry; its streams end; a rotation begins a new lifetime; the operator's own token stays")
  void lifetime() {
    String old = create("old", null).token();
    Instant longer = Timestamps.wholeSecond(time.now().plus(Duration.ofDays(90)));
    String far = create("far", longer).token();
    Duration month = Duration.ofDays(30);
    limit(new TokenLifetime(month));
    Access access = open();
    assertThatThrownBy(() -> create("ci", longer)).isInstanceOf(InvalidValue.class).hasMessage("a token is valid for at"
        + " most 30d here (tower.tokens.lifetime), not until " + Timestamps.format(longer)
        + "; omit --expires, and rotate it in time");
    Instant made = Timestamps.wholeSecond(time.now());
    Tokens.Issued ci = create("ci", null);
    String brief = create("brief", made.plus(HOUR)).token();
    assertThatThrownBy(() -> tokens().rotate("ci", new Tokens.Rotation(HOUR, new Tokens.Expiry(longer))))
        .isInstanceOf(InvalidValue.class);
    assertThat(name(access, ci.token())).isEqualTo("ci");
    time.advance(HOUR);
    assertThat(name(access, brief)).isEqualTo("refused");

    time.advance(Duration.ofDays(23));
    assertThat(warned("ci")).containsExactly("'ci' ends soon");
    String next = tokens().rotate("ci", overlapping(Duration.ofDays(20))).orElseThrow().token();
    assertThat(warned("ci")).isEmpty();
    Caller streaming = caller(access, ci.token()).orElseThrow();
    assertThat(streaming.credential().expires()).isEqualTo(made.plus(month));
    time.advance(Duration.ofDays(7));
    assertThat(List.of(ci.token(), old, far)).allSatisfy(token -> assertThat(access.recognise(token))
        .isInstanceOfSatisfying(Refused.class, it -> assertThat(it.reason()).isEqualTo(Reason.EXPIRED_TOKEN)));
    assertThat(streaming.credential().isValid()).isFalse();
    assertThat(warned("old")).containsExactly("'old' is not accepted: it is older than 30d");
    assertThat(name(access, next)).isEqualTo("ci");
    assertThat(name(access, operator())).isEqualTo("operator");

    String again = tokens().rotate("old", overlapping(Duration.ZERO)).orElseThrow().token();
    assertThat(name(access, again)).isEqualTo("old");
    limit(TokenLifetime.ANY);
    time.advance(Duration.ofDays(31));
    assertThat(name(open(), again)).isEqualTo("old");
  }

  private List<String> warned(String name) {
    return examine().stream().filter(it -> it.severity() == Finding.Severity.WARN).map(Finding::message)
        .filter(it -> it.contains("'" + name + "'")).toList();
  }

  @Test
  @DisplayName("A revocation ends a token and its previous ones within a second, with their waits and streams")
  void revoked() {
    Access access = open();
    String first = create("ci", null).token();
    String second = tokens().rotate("ci", overlapping(HOUR)).orElseThrow().token();
    Caller streaming = caller(access, first).orElseThrow();

    assertThat(tokens().revoke("ci").orElseThrow().grant().name()).isEqualTo("ci");
    awaitEnd(access, second);
    assertThat(access.recognise(first)).isEqualTo(RecognitionOutcome.unknown());
    assertThat(streaming.credential().isValid()).isFalse();
    assertThat(tokens().revoke("ci")).isEmpty();
    assertThat(stored()).doesNotContain(Digests.of(first), Digests.of(second));
  }

  @Test
  @DisplayName("An expired token is refused with its name, without reading the store")
  void expired() {
    Access access = open();
    Instant end = Timestamps.wholeSecond(time.now().plusSeconds(60));
    String token = create("ci", end).token();
    Caller streaming = caller(access, token).orElseThrow();
    time.advance(Duration.between(time.now(), end));
    assertThat(access.recognise(token)).isEqualTo(new Refused(Reason.EXPIRED_TOKEN, "ci",
        "the token 'ci' expired at " + Timestamps.format(end)));
    assertThat(streaming.credential().isValid()).isFalse();
  }

  @Test
  @DisplayName("The operator's token is replaced at once or with an overlap")
  void operatorRotated() {
    assertThat(tokens().operator()).isEmpty();
    Access access = open();
    String first = operator();
    assertThat(caller(access, first)).contains(Caller.of("operator", Role.OPERATOR, Scope.ALL));
    assertThat(tokens().operator().orElseThrow().current().sha256()).isEqualTo(Digests.of(first));

    Tokens.RotatedOperator rotated = tokens().rotateOperator(HOUR);
    String second = operator();
    assertThat(rotated.operator().current().sha256()).isEqualTo(Digests.of(second));
    assertThat(rotated.operator().previous()).extracting(Generation::sha256).containsExactly(Digests.of(first));
    assertThat(tokens().operator().orElseThrow().previous()).extracting(Generation::sha256, Generation::expires)
        .containsExactly(tuple(Digests.of(first), Timestamps.wholeSecond(time.now().plus(HOUR))));
    assertThat(List.of(first, second)).allSatisfy(it -> assertThat(name(access, it)).isEqualTo("operator"));
    assertThat(name(open(), first)).isEqualTo("operator");

    tokens().rotateOperator(Duration.ZERO);
    assertThat(name(access, operator())).isEqualTo("operator");
    awaitEnd(access, second);
    assertThat(name(access, first)).isEqualTo("refused");
    assertThat(tokens().adoptOperator(Duration.ZERO)).isEmpty();
    assertThat(stored()).doesNotContain(first, second, operator());
  }

  @Test
  @DisplayName("The last use on this host is recorded, and forgotten with the token")
  void lastUse() {
    Access access = open();
    Tokens.Issued ci = create("ci", null);
    assertThat(tokens().lastUse(ci.grant().current())).isEmpty();
    access.recognise(ci.token());
    assertThat(tokens().lastUse(ci.grant().current())).isPresent();
    tokens().revoke("ci");
    open();
    assertThat(tokens().lastUse(ci.grant().current())).isEmpty();
  }
}

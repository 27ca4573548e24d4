package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.Timestamps;

class FreezeCommandsTest {
  private final TestHome home;
  private final Scheduler scheduler = SystemTime.scheduler();

  FreezeCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  private Outcome freeze(String ttl) {
    return home.run("freeze", "prod", "--ttl", ttl, "--reason", "database migration");
  }

  private Path freezeFile() {
    return home.locks().resolve(".prod.freeze");
  }

  @Test
  @DisplayName("LK-30 freeze prints its end; a second freeze is exit 2 lock_frozen with the actor and the end")
  void freezes() {
    Outcome first = freeze("30m");
    assertThat(first.exit()).isZero();
    assertThat(first.out()).isEmpty();
    assertThat(first.err()).matches("lock prod is frozen until \\S+Z; its current holder continues\n");

    Outcome second = home.tower("freeze --reason again --ttl 1h prod --actor bob --json");
    assertThat(second.exit()).isEqualTo(2);
    assertThat(second.errorCode()).isEqualTo("lock_frozen");
    assertThat(second.context().text("frozen_by")).hasValue("alice");
    assertThat(second.context().text("reason")).hasValue("database migration");
    Instant until = second.context().text("expires_at").flatMap(Timestamps::parse).orElseThrow();
    assertThat(until).isBetween(TestHome.now().plusSeconds(1700), TestHome.now().plusSeconds(1800));
  }

  @Test
  @DisplayName("A freeze with the same id as the current one is idempotent")
  void again() {
    Outcome first = home.tower("freeze prod --ttl 30m --reason why --request-id f1 --json");

    assertThat(home.tower("freeze prod --ttl 30m --reason why --request-id f1 --json").data())
        .isEqualTo(first.data());
    assertThat(home.tower("freeze prod --ttl 30m --reason other --request-id f1").exit()).isEqualTo(2);
    assertThat(home.events()).containsExactly("lock_frozen");
  }

  @Test
  @DisplayName("LK-30 unlike the original tool, a freeze also blocks lock, even with force; the holder renews and "
      + "releases")
  void keepsLockAway() {
    home.tower("lock prod --request-id held");
    freeze("30m");

    Outcome refused = home.tower("lock prod");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).matches("""
        tower: lock prod is frozen by alice until \\S+Z: "database migration"
          wait until the freeze ends: tower lock prod --wait 1h
        """);
    assertThat(home.tower("lock prod --force-lock").exit()).isEqualTo(2);
    assertThat(home.tower("lock prod --request-id held").exit()).isZero();
    assertThat(home.tower("heartbeat prod --request-id held").exit()).isZero();
    assertThat(home.tower("check prod").out()).isEqualTo("active\n");
    assertThat(home.tower("unlock prod --request-id held").exit()).isZero();
    assertThat(home.tower("check prod")).isEqualTo(new Outcome(3, "free\n", ""));
    assertThat(home.tower("exists prod").exit()).isEqualTo(3);
    assertThat(home.tower("lock prod").exit()).isEqualTo(2);
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_frozen", "lock_blocked",
        "lock_blocked",
        "lock_released", "lock_actor", "lock_blocked");
  }

  @Test
  @DisplayName("U12 a freeze that lasts longer than the longest wait says so to lock, guard, run and why")
  void outlasting() {
    freeze("2h");
    String until = "the freeze lasts until \\S+Z, longer than the longest wait of 1h: ask again after that";
    for (String command : new String[]{"lock prod", "lock prod --wait 10ms", "guard prod -- true"}) {
      assertThat(home.tower(command).err()).as(command)
          .containsPattern("\n {2}" + until + ", or ask who froze it to lift it: tower why prod\n");
    }
    assertThat(home.tower("why prod").out())
        .containsPattern("\n {2}" + until + "\n {2}try: tower lock prod --wait 1h\n");
  }

  @Test
  @DisplayName("LK-30 unfreeze lifts any actor's freeze and is audited; without a freeze it is exit 3")
  void unfreezes() {
    Outcome nothing = home.tower("unfreeze prod --json");
    assertThat(nothing.exit()).isEqualTo(3);
    assertThat(nothing.errorCode()).isEqualTo("not_frozen");
    freeze("30m");
    Outcome lifted = home.tower("unfreeze prod --actor bob --request-id req_lift");
    assertThat(lifted.exit()).isZero();
    assertThat(lifted.err()).matches("lock prod is no longer frozen; it was frozen by alice until \\S+Z: "
        + "\"database migration\"\n");
    assertThat(home.tower("lock prod").exit()).isZero();
    assertThat(home.audit().getFirst())
        .matches("\\{\"event\":\"lock_frozen\",\"request_id\":\"req_\\w+\",\"timestamp\":\"\\S+Z\","
            + "\"lock_name\":\"prod\",\"reason\":\"database migration\",\"ttl_seconds\":1800,"
            + "\"expires_at\":\"\\S+Z\",\"actor\":\"alice\",\"door\":\"cli\"}");
    assertThat(home.audit().get(1))
        .matches("\\{\"event\":\"lock_unfrozen\",\"request_id\":\"req_lift\",\"timestamp\":\"\\S+Z\","
            + "\"lock_name\":\"prod\",\"previous_freeze\":\\{\"actor\":\"alice\","
            + "\"reason\":\"database migration\",\"ttl_seconds\":1800,\"expires_at\":\"\\S+Z\"},"
            + "\"actor\":\"bob\",\"door\":\"cli\"}");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', value = {
      "freeze prod --reason x @ --ttl is required: how long it lasts: every freeze expires",
      "freeze prod --ttl 30m @ --reason is required", "freeze --ttl 30m --reason x @ NAME is missing",
      "freeze prod --ttl 500ms --reason x @ --ttl must be a time span of whole seconds from 1s to 7d, such as 90s, 15m or 8h, not '500ms'",
      "freeze prod --ttl 0s --reason x @ --ttl must be a time span of whole seconds from 1s to 7d, such as 90s, 15m or 8h, not '0s'",
      "freeze prod --ttl 8d --reason x @ --ttl must be a time span of whole seconds from 1s to 7d, such as 90s, 15m or 8h, not '8d'",
      "freeze ../x --ttl 1m --reason x @ lock name '../x' has a character outside a-z 0-9 - _",
      "unfreeze @ NAME is missing", "unfreeze prod now @ is one argument too many"})
  @DisplayName("LK-30 LK-B16 LK-B12 LK-B13 a missing, invalid or surplus argument is exit 64, and nothing is touched")
  void usage(String line, String message) {
    Outcome outcome = home.tower(line.strip());
    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.err()).contains(message.strip());
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("LK-27 LK-B24 a frozen name is listed, held or not; JSON has the freeze, or null")
  void listed() {
    home.tower("lock held --request-id r");
    home.tower("freeze held --ttl 1m --reason x");
    home.tower("lock plain --request-id r2");
    freeze("30m");

    assertThat(home.tower("locks").out().lines()).satisfiesExactly(header -> assertThat(header).startsWith("NAME"),
        held -> assertThat(held).startsWith("held   active,frozen  alice"),
        plain -> assertThat(plain).startsWith("plain  active         alice"),
        prod -> assertThat(prod).isEqualTo("prod   free,frozen"));
    assertThat(home.tower("locks prod").out()).matches("""
        prod: free, frozen
          frozen by  alice
          until      \\S+Z
          reason     database migration
          path       \\S+/prod.lock
        """);
    JsonObject json = home.tower("locks prod --json").data();
    assertThat(json.text("state")).hasValue("free");
    assertThat(json.object("frozen").orElseThrow().text("reason")).hasValue("database migration");
    assertThat(home.tower("locks plain --json").out()).contains("\"frozen\":null");
  }

  @Test
  @DisplayName("LK-31 LK-B20 why shows all reasons at once, in their order of precedence, with the exit code of lock")
  void why() {
    assertThat(home.tower("why prod")).isEqualTo(new Outcome(0, "lock prod is free\n", ""));
    home.foreignLock("prod", Instant.parse("2026-01-01T10:00:00Z"), 900);
    freeze("30m");

    Outcome both = home.tower("why prod");
    assertThat(both.exit()).isEqualTo(2).isEqualTo(home.tower("lock prod").exit());
    assertThat(both.out().lines().toList()).satisfiesExactly(
        frozen -> assertThat(frozen).matches("frozen: frozen by alice until \\S+Z: \"database migration\""),
        command -> assertThat(command).isEqualTo("  try: tower lock prod --wait 1h"),
        stale -> assertThat(stale).startsWith("stale: held by claude-code on tower-02"),
        command -> assertThat(command).isEqualTo("  try: tower lock prod --force-lock"),
        owner -> assertThat(owner)
            .isEqualTo("  if it is yours, and its work has ended: tower unlock prod --request-id req_old123"));
    assertThat(TestHome.texts(home.tower("why prod --json").data(), "reasons", "type"))
        .containsExactly("frozen", "stale");
    home.tower("unfreeze prod");
    assertThat(home.tower("why prod").exit()).isEqualTo(5).isEqualTo(home.tower("lock prod").exit());
  }

  @Test
  @DisplayName("LK-B15 T19 a corrupt freeze blocks every request, waiting or not; why and doctor name it and its "
      + "remedy")
  void corrupt() throws Exception {
    home.tower("lock other");
    Files.createFile(freezeFile());

    for (String line : new String[]{"lock prod", "lock prod --wait 10s", "lock prod --force-lock"}) {
      Outcome refused = home.tower(line);
      assertThat(refused.exit()).as(line).isEqualTo(2);
      assertThat(refused.err()).startsWith("tower: lock prod is frozen by " + freezeFile()
          + ", which cannot be read: not a JSON object: ").endsWith("tower why prod\n");
      assertThat(home.tower(line + " --json").json().objects("next_actions"))
          .extracting(action -> action.text("command").orElse(""))
          .containsExactly("tower why prod", "tower unfreeze prod");
    }
    Outcome why = home.tower("why prod");
    assertThat(why.exit()).isEqualTo(2);
    assertThat(why.out()).startsWith("frozen: frozen by " + freezeFile()).endsWith("\n  try: tower unfreeze prod\n");
    assertThat(home.tower("locks prod").out()).startsWith("prod: free, frozen\n  frozen by  " + freezeFile() + "\n");
    Outcome doctor = home.tower("doctor");
    assertThat(doctor.exit()).isEqualTo(1);
    assertThat(doctor.out()).contains("corrupt freeze").contains("`tower unfreeze prod`");
    assertThat(home.tower("unfreeze prod").err()).isEqualTo("lock prod is no longer frozen\n");
    assertThat(home.audit().getLast()).contains("\"previous_freeze\":null,\"actor\":\"alice\"");
    assertThat(home.tower("lock prod").exit()).isZero();
  }

  @Test
  @DisplayName("LK-B19 T19 a waiter keeps waiting during a freeze, reports it, and gets the lock when it is lifted")
  void waitsThroughAFreeze() {
    freeze("30m");
    CompletableFuture<Outcome> waiter = CompletableFuture
        .supplyAsync(() -> home.tower("lock prod --request-id second --wait 10m"));
    while (home.tower("check prod --json").data().integer("waiters").orElse(0) == 0) {
      scheduler.pause(Duration.ofMillis(2));
    }
    assertThat(home.tower("why prod").out()).contains("waiting: 1 request is waiting for it; you would be number 2\n");
    home.tower("unfreeze prod");

    Outcome outcome = waiter.join();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEqualTo("second\n");
    assertThat(outcome.err().lines().findFirst().orElseThrow()).matches("tower: lock prod is frozen by alice until "
        + "\\S+Z: \"database migration\", waited for \\d+s, next in line");
    assertThat(home.events()).containsExactly("lock_frozen", "lock_blocked", "lock_unfrozen", "lock_acquired",
        "lock_actor");
  }

  @Test
  @DisplayName("LK-B19 a waiter gets the lock when the freeze expires; a wait that times out names the freeze")
  void waitsForTheEnd() {
    freeze("30m");
    Outcome inVain = home.tower("lock prod --wait 100ms --json");
    assertThat(inVain.exit()).isEqualTo(2);
    assertThat(inVain.errorCode()).isEqualTo("lock_wait_timeout");
    assertThat(inVain.context().text("error")).hasValue("lock_wait_timeout");
    assertThat(inVain.context().text("blocked_by")).hasValue("lock_frozen");
    assertThat(inVain.context().text("frozen_by")).hasValue("alice");
    home.tower("unfreeze prod");
    freeze("1s");
    assertThat(home.tower("lock prod --wait 10m").exit()).isZero();
    assertThat(freezeFile()).exists();
    assertThat(home.tower("doctor").out()).doesNotContain("freeze");
  }
}

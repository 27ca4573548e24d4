package fleet.tower.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.foreign.ProcessProbe.Life;

@DisplayName("The consumer of the exclusive-lock protocol decides as its document says, case by case")
class ExclusiveRulesTest {
  private static final String LOCK = """
      {
        "holder": "vc-executor",
        "pid": 12345,
        "hostname": "dev-machine",
        "started_at": "2025-10-25T12:00:00Z",
        "version": "1.0.0"
      }
      """;
  private static final Occupant VC = new Occupant("vc-executor", 12345, "dev-machine",
      Instant.parse("2025-10-25T12:00:00Z"));

  /** A machine that says of every process the same. */
  private record Machine(Optional<String> hostname, Life life, Optional<Realm> realm,
      OptionalLong start) implements ProcessProbe {
    Machine(String hostname, Life life) {
      this(Optional.of(hostname).filter(name -> !name.isEmpty()), life, Optional.of(new Realm("boot-1", "4026531836")),
          OptionalLong.of(777));
    }

    @Override
    public Life life(long pid) {
      return life;
    }

    @Override
    public OptionalLong startTicks(long pid) {
      return start;
    }
  }

  private static ForeignLockState judge(String text, Machine machine) {
    return ExclusiveRules.judge(new ExclusiveRules.Bytes(text.getBytes(StandardCharsets.UTF_8)), machine);
  }

  private static ForeignLockState judge(String text) {
    return judge(text, new Machine("dev-machine", Life.GONE));
  }

  @Test
  @DisplayName("BD-3 row 1: without a file, proceed")
  void noFile() {
    assertThat(ExclusiveRules.judge(new ExclusiveRules.Nothing(), new Machine("dev-machine", Life.GONE)))
        .isEqualTo(new ForeignLockState.Free());
  }

  @Test
  @DisplayName("BD-3 row 2: an unreadable file is skipped, and the log says why")
  void unreadable() {
    ForeignLockState verdict = ExclusiveRules.judge(new ExclusiveRules.Corrupt("EACCES: permission denied"),
        new Machine("dev-machine", Life.GONE));

    assertThat(verdict)
        .isEqualTo(new ForeignLockState.Doubtful("failed to read lock file: EACCES: permission denied", null));
    assertThat(skipping(verdict)).isEqualTo(
        "Skipping database (lock check failed: failed to read lock file: EACCES: permission denied)");
  }

  @ParameterizedTest
  @DisplayName("BD-3 row 3 BD-4 BD-B5: a file that is not JSON, torn or empty is skipped, dead holder or not, and "
      + "never removed")
  @ValueSource(strings = {"", " ", "null", "[]", "{", "{\"holder\":\"x\"", "vc-executor", "{} {}",
      "{\"holder\":7,\"pid\":1,\"hostname\":\"dev-machine\",\"started_at\":\"2025-10-25T12:00:00Z\"}",
      "{\"holder\":\"x\",\"pid\":\"1\",\"hostname\":\"dev-machine\",\"started_at\":\"2025-10-25T12:00:00Z\"}",
      "{\"holder\":\"x\",\"pid\":1.5,\"hostname\":\"dev-machine\",\"started_at\":\"2025-10-25T12:00:00Z\"}",
      "{\"holder\":\"x\",\"pid\":99999999999999999999,\"hostname\":\"h\",\"started_at\":\"2025-10-25T12:00:00Z\"}",
      "{\"holder\":\"x\",\"pid\":1,\"hostname\":\"dev-machine\",\"started_at\":\"yesterday\"}",
      "{\"holder\":\"x\",\"pid\":1,\"hostname\":\"dev-machine\",\"started_at\":1761393600}"})
  void malformed(String text) {
    assertThat(judge(text)).isInstanceOfSatisfying(ForeignLockState.Doubtful.class, doubt -> {
      assertThat(doubt.problem()).startsWith("malformed lock file: ");
      assertThat(doubt.holder()).isNull();
    });
  }

  @ParameterizedTest
  @DisplayName("BD-3 row 4 BD-1 BD-4: a file without a required member is skipped, and never removed")
  @CsvSource({"holder, holder is empty or missing", "pid, 'pid must be a number above 0, not 0'",
      "hostname, hostname is empty or missing", "started_at, started_at is missing"})
  void invalid(String member, String problem) {
    assertThat(judge(LOCK.replace("\"" + member + "\"", "\"other\"")))
        .isEqualTo(new ForeignLockState.Doubtful("invalid lock file: " + problem, null));
    assertThat(judge(LOCK.replaceFirst("\"" + member + "\": [^,]+,", "\"" + member + "\": null,")))
        .isEqualTo(new ForeignLockState.Doubtful("invalid lock file: " + problem, null));
  }

  @Test
  @DisplayName("BD-3 row 4: a pid not above 0, an empty holder and Go's zero time count as missing")
  void emptyValues() {
    assertThat(judge(LOCK.replace("12345", "-7")))
        .isEqualTo(new ForeignLockState.Doubtful("invalid lock file: pid must be a number above 0, not -7", null));
    assertThat(judge(LOCK.replace("vc-executor", "")))
        .isEqualTo(new ForeignLockState.Doubtful("invalid lock file: holder is empty or missing", null));
    assertThat(judge(LOCK.replace("2025-10-25T12:00:00Z", "0001-01-01T00:00:00Z")))
        .isEqualTo(new ForeignLockState.Doubtful("invalid lock file: started_at is missing", null));
  }

  @ParameterizedTest
  @DisplayName("BD-3 row 5 BD-4: a lock of another host is valid, whatever its process number is here")
  @EnumSource(Life.class)
  void remote(Life life) {
    ForeignLockState verdict = judge(LOCK, new Machine("dev-machine.example.org", life));

    assertThat(verdict).isEqualTo(new ForeignLockState.Held(VC));
    assertThat(skipping(verdict)).isEqualTo("Skipping database (locked by vc-executor)");
  }

  @ParameterizedTest
  @DisplayName("BD-3 row 6 BD-B9: alive, EPERM or any error but ESRCH is valid")
  @EnumSource(value = Life.class, names = "GONE", mode = EnumSource.Mode.EXCLUDE)
  void alive(Life life) {
    assertThat(judge(LOCK, new Machine("dev-machine", life))).isEqualTo(new ForeignLockState.Held(VC));
  }

  @ParameterizedTest
  @DisplayName("BD-3 row 7: of this host, whatever the case of its name, and certainly dead is stale")
  @ValueSource(strings = {"dev-machine", "DEV-Machine"})
  void dead(String hostname) {
    assertThat(judge(LOCK, new Machine(hostname, Life.GONE))).isEqualTo(new ForeignLockState.Stale(VC));
  }

  @Test
  @DisplayName("BD-3 row 9: a host that does not know its own name treats every lock as live")
  void namelessHost() {
    assertThat(judge(LOCK, new Machine("", Life.GONE))).isEqualTo(new ForeignLockState.Held(VC));
  }

  @Test
  @DisplayName("BD-1 version is optional, times may have a zone and a fraction, other members are ignored")
  void liberal() {
    assertThat(judge(LOCK.replace(",\n  \"version\": \"1.0.0\"", ""))).isEqualTo(new ForeignLockState.Stale(VC));
    assertThat(judge(LOCK.replace("12:00:00Z", "14:00:00.123456789+02:00"))).isInstanceOfSatisfying(
        ForeignLockState.Stale.class,
        stale -> assertThat(stale.occupant().since()).isEqualTo(Instant.parse("2025-10-25T12:00:00.123456789Z")));
    assertThat(judge(LOCK.replace("{", "{\"mood\": [1, {}],"))).isEqualTo(new ForeignLockState.Stale(VC));
  }

  @Test
  @DisplayName("BD-5 BD-B6 neither age nor a ttl makes a lock stale")
  void noTtl() {
    assertThat(judge(LOCK.replace("2025-10-25", "1999-10-25"), new Machine("dev-machine", Life.ALIVE)))
        .isInstanceOf(ForeignLockState.Held.class);
  }

  @ParameterizedTest
  @DisplayName("BD-B6 a Tower holder is distinguished from a later process with its number by boot and start "
      + "time; others are not")
  @CsvSource({"boot-1/4026531836/777, ALIVE, held", "boot-1/4026531836/777, UNKNOWN, held",
      "boot-1/4026531836/777, ENDED, stale", "boot-1/4026531836/777, GONE, stale",
      "boot-1/4026531836/776, ALIVE, stale", "boot-1/4026531836/776, UNKNOWN, stale",
      "boot-0/4026531836/777, ALIVE, stale", "boot-1/4026532001/777, GONE, held",
      "boot-1/4026532001/776, ALIVE, held", "nonsense, ALIVE, held", "nonsense, ENDED, held", "nonsense, GONE, stale"})
  void recycled(String mark, Life life, String expected) {
    String ours = LOCK.replace("\"version\"", "\"process\": \"" + mark + "\", \"version\"");

    assertThat(word(judge(ours, new Machine("dev-machine", life)))).isEqualTo(expected);
    assertThat(word(judge(ours, new Machine("elsewhere", life)))).isEqualTo("held");
  }

  private static String word(ForeignLockState state) {
    return state.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  @Test
  @DisplayName("BD-B6 if the system reports no boot, the document's rule alone decides, even for Tower holders")
  void withoutProc() {
    String ours = LOCK.replace("\"version\"", "\"process\": \"boot-0/1/2\", \"version\"");

    assertThat(judge(ours, new Machine(Optional.of("dev-machine"), Life.ALIVE, Optional.empty(), OptionalLong.empty())))
        .isEqualTo(new ForeignLockState.Held(VC));
    assertThat(judge(ours, new Machine(Optional.of("dev-machine"), Life.GONE, Optional.empty(), OptionalLong.empty())))
        .isEqualTo(new ForeignLockState.Stale(VC));
  }

  private static String skipping(ForeignLockState verdict) {
    return verdict instanceof ForeignLockState.Blocking why
        ? ProtocolLines.skipping(new ForeignLock.Refusal(ForeignName.parse("beads:/srv/x/.beads"), why))
        : "not skipped";
  }
}

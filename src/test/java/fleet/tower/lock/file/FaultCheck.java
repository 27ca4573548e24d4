package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;

/** Compares the disk with the caller's outcome, after an operation with an error or a crash. */
final class FaultCheck {
  private static final Pattern TOKEN = Pattern.compile("\"fencing_token\": ?(\\d+)");
  private static final String MAY_BE_FROZEN = "(; the name may be frozen anyway; if it is, lift the freeze)?";
  private static final Pattern ERROR = Pattern.compile("E[A-Z]+: [a-z/ -]+(?: \\(.+\\))?");
  private static final List<String> FLOOR = List.of(FileNames.FLOOR, FileNames.floorTemp());
  private final FileFixture files;
  private final StoreCall operation;
  private final boolean effectMayHaveHappened;
  private final String description;
  private final @Nullable String old;
  private final FreezeState oldFreeze;
  private long highestToken;

  FaultCheck(FileFixture files, StoreCall operation, boolean effectMayHaveHappened, String description) {
    this.files = files;
    this.operation = operation;
    this.effectMayHaveHappened = effectMayHaveHappened;
    this.description = description;
    this.old = current();
    this.oldFreeze = freezeThen(files, operation);
    seeTokens();
    seeCounters();
  }

  /** The expected freeze of the name after an operation that does not change it. */
  private static FreezeState freezeThen(FileFixture files, StoreCall operation) {
    return operation == StoreCall.FREEZE_AGAIN ? new FreezeState.None() : files.store().freezeState(StoreCall.NAME);
  }

  /** The operation answered. */
  void outcome(Object outcome) {
    seeTokens();
    switch (outcome) {
      case AcquireOutcome.Granted(var held, var _) -> assertStands(held.lease());
      case AcquireOutcome.Kept(var held) -> assertStands(held.lease());
      case AcquireOutcome.Undone(Lease lease, var _, String error, boolean leftBehind, var _) -> {
        highestToken = Math.max(highestToken, lease.token().value());
        assertThat(error).as(description).matches(ERROR);
        if (!leftBehind) {
          assertThat(current()).as(description).isNull();
        }
      }
      case RenewOutcome.Renewed(var held, var _) -> assertStands(held.lease());
      case ReleaseOutcome.Released _,ForceReleaseOutcome.Removed _ -> assertThat(current()).as(description).isNull();
      case FreezeOutcome.Frozen(Freeze freeze) -> {
        assertThat(files.store().freezeState(StoreCall.NAME)).as(description).isEqualTo(new FreezeState.Frozen(freeze));
        assertThat(current()).as(description).isEqualTo(old);
      }
      // A file that may not be read counts as a freeze.
      case FreezeOutcome.AlreadyFrozen(FreezeState.Corrupt _) -> assertUnchanged();
      case UnfreezeOutcome.Unfrozen _ -> {
        assertThat(files.store().freezeState(StoreCall.NAME)).as(description).isEqualTo(new FreezeState.None());
        assertThat(current()).as(description).isEqualTo(old);
      }
      case Boolean isForgotten -> {
        assertThat(isForgotten).as(description).isTrue();
        assertThat(files.names()).as(description).doesNotContain(".prod.fence");
      }
      case ReleaseOutcome.Failed(var _, var _, String error) -> assertFailed(error);
      case ForceReleaseOutcome.Failed(var _, String error) -> assertFailed(error);
      default -> throw new AssertionError(description + ": " + outcome);
    }
  }

  /** The operation said that the storage is broken; then nothing may have changed hands. */
  void exception(StorageException error) {
    seeTokens();
    assertThat(error.getMessage()).as(description).matches("lock prod: " + ERROR.pattern() + MAY_BE_FROZEN);
    assertUnchanged();
    if (!String.valueOf(error.getMessage()).matches(".*" + MAY_BE_FROZEN.replace("?", ""))
        && !effectMayHaveHappened) {
      assertThat(files.store().freezeState(StoreCall.NAME)).as(description).isEqualTo(oldFreeze);
    }
  }

  /** There was no outcome; whatever is on the disk is complete, and no obstacle. */
  void recoversFromDeath() {
    seeTokens();
    recovers();
  }

  /** Whatever the operation left is no obstacle to the next one. */
  void recovers() {
    LeaseState leaseState = files.store().view(StoreCall.NAME).leaseState();
    boolean isFrozen = !(files.store().freezeState(StoreCall.NAME) instanceof FreezeState.None);
    assertThat(files.store().list()).as(description).hasSize(current() == null && !isFrozen ? 0 : 1);
    UnfreezeOutcome lifted = files.store().unfreeze(StoreCall.NAME);
    assertThat(lifted instanceof UnfreezeOutcome.Unfrozen).as(description).isEqualTo(isFrozen);
    if (leaseState instanceof LeaseState.Corrupt) {
      files.store().forceRelease(StoreCall.NAME);
    }
    files.time().advance(Duration.ofHours(1));
    Lease next = files.granted(TestRequest.by("req_next", StoreCall.LOCK).withForce());
    assertThat(next.token().value()).as(description).isGreaterThan(highestToken);
    assertThat(files.store().renew(StoreCall.NAME, next.owner(), next.token())).as(description)
        .isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(files.store().forceRelease(StoreCall.NAME)).as(description)
        .isInstanceOf(ForceReleaseOutcome.Removed.class);
    files.close();
    PowerCut.reboot(files.directory());
    Lease last = files.granted(TestRequest.by("req_last", StoreCall.LOCK));
    assertThat(last.token()).as(description).isGreaterThan(next.token());
    assertThat(files.store().release(StoreCall.NAME, last.owner(), FencingToken.NONE)).as(description)
        .isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(files.names()).as(description).filteredOn(file -> !FLOOR.contains(file))
        .containsExactly(".guard", ".journal", ".prod.beat", ".prod.fence");
  }

  private void assertFailed(String error) {
    assertThat(error).as(description).matches(ERROR);
    assertUnchanged();
  }

  /** An error before the effect changed nothing; one after it may have made the requested change, but no other. */
  private void assertUnchanged() {
    String now = current();
    switch (operation) {
      case ACQUIRE_FIRST, ACQUIRE_FREE, ACQUIRE_FORGOTTEN, FORGET, STEAL, FREEZE, FREEZE_AGAIN, UNFREEZE,
          UNFREEZE_CORRUPT ->
        assertThat(now).as(description).isEqualTo(old);
      // The error may follow the heartbeat, which is compared with what it replaced.
      case KEEP, RENEW -> assertThat(now).as(description).isIn(old,
          String.valueOf(old).replaceAll("(last_heartbeat_at\": \").{20}", "$12025-12-18T10:30:20Z"));
      case RELEASE, RELEASE_FOREIGN, FORCE_RELEASE, FORCE_RELEASE_CORRUPT -> {
        if (now != null || !effectMayHaveHappened) {
          assertThat(now).as(description).isEqualTo(old);
        }
      }
    }
  }

  private void assertStands(Lease lease) {
    assertThat(files.store().view(StoreCall.NAME).leaseState()).as(description)
        .isInstanceOfSatisfying(LeaseState.Held.class, held -> assertThat(held.lease()).isEqualTo(lease));
  }

  private void seeTokens() {
    String now = current();
    Matcher token = TOKEN.matcher(now == null ? "" : now);
    if (token.find()) {
      highestToken = Math.max(highestToken, Long.parseLong(token.group(1)));
    }
  }

  /** The counter of the name, and the floor that stands in for it. */
  private void seeCounters() {
    for (String file : List.of(".prod.fence", FileNames.FLOOR)) {
      Path counter = files.directory().resolve(file);
      if (Files.exists(counter)) {
        highestToken = Math.max(highestToken,
            Long.parseLong(new String(FileFixture.read(counter), StandardCharsets.US_ASCII).strip()));
      }
    }
  }

  private @Nullable String current() {
    return Files.exists(files.lock(StoreCall.LOCK))
        ? new String(files.bytes(StoreCall.LOCK), StandardCharsets.UTF_8)
        : null;
  }
}

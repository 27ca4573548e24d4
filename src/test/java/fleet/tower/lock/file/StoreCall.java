package fleet.tower.lock.file;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;

/** Everything that the algorithm does, each with the state that it starts from. */
enum StoreCall {
  ACQUIRE_FIRST(0, State.EMPTY), ACQUIRE_FREE(0, State.RELEASED), STEAL(901, State.HELD), KEEP(10, State.HELD), RENEW(
      10,
      State.HELD), RELEASE(10, State.HELD), RELEASE_FOREIGN(10, State.FOREIGN), FORCE_RELEASE(10,
          State.HELD), FORCE_RELEASE_CORRUPT(10, State.CORRUPT), FREEZE(10, State.HELD), FREEZE_AGAIN(61,
              State.FROZEN), UNFREEZE(10, State.FROZEN), UNFREEZE_CORRUPT(10, State.FROZEN_CORRUPT), FORGET(
                  31 * 86_400, State.UNUSED), ACQUIRE_FORGOTTEN(0, State.FORGOTTEN);

  static final String LOCK = "prod";
  static final LeaseName NAME = new LeaseName(LOCK);
  static final RequestId ANNA = new RequestId("req_anna");
  static final RequestId BERT = new RequestId("req_bert");
  static final long FOREIGN_TOKEN = 41;
  static final FreezeRequest FREEZING = new FreezeRequest(NAME, BERT, "bert", "migration", new Ttl(60), null);

  private final long ageSeconds;
  private final State state;

  StoreCall(long ageSeconds, State state) {
    this.ageSeconds = ageSeconds;
    this.state = state;
  }

  private enum State {
    EMPTY, RELEASED, HELD, FOREIGN, CORRUPT, FROZEN, FROZEN_CORRUPT, UNUSED, FORGOTTEN
  }

  /** How long after {@link #prepare} it is done. */
  Duration age() {
    return Duration.ofSeconds(ageSeconds);
  }

  /** Creates its initial state. */
  void prepare(FileFixture files) {
    switch (state) {
      case EMPTY -> {
      }
      case RELEASED -> takeAndRelease(files);
      case UNUSED -> {
        takeAndRelease(files);
        files.used(LOCK);
      }
      case FORGOTTEN -> {
        takeAndRelease(files);
        files.used(LOCK);
        files.store().forget(NAME, Duration.ZERO);
      }
      case HELD -> files.granted(TestRequest.by(ANNA.value(), LOCK));
      case FOREIGN -> files.put(LOCK, LockTexts.of(LOCK, ANNA.value(), "2025-12-18T10:30:10Z").replace("{}",
          "{\"fencing_token\": " + FOREIGN_TOKEN + "}"));
      case CORRUPT -> files.put(LOCK, "{\"lock_version\": \"v1\", \"lock_na");
      case FROZEN -> {
        files.granted(TestRequest.by(ANNA.value(), LOCK));
        files.store().freeze(FREEZING);
      }
      case FROZEN_CORRUPT -> FileFixture.write(files.directory().resolve(".prod.freeze"), new byte[0]);
    }
  }

  private static void takeAndRelease(FileFixture files) {
    files.granted(TestRequest.by(ANNA.value(), LOCK));
    files.store().release(NAME, TestRequest.owner(ANNA), FencingToken.NONE);
  }

  /** Does it. */
  Object run(LockStore store) {
    return switch (this) {
      case FORGET -> store.forget(NAME, Duration.ofDays(30));
      case ACQUIRE_FIRST, ACQUIRE_FREE, ACQUIRE_FORGOTTEN ->
        store.acquire(TestRequest.by(BERT.value(), LOCK).request());
      case STEAL -> store.acquire(TestRequest.by(BERT.value(), LOCK).withForce().request());
      case KEEP -> store.acquire(TestRequest.by(ANNA.value(), LOCK).request());
      case RENEW -> store.renew(NAME, TestRequest.owner(ANNA), FencingToken.NONE);
      case RELEASE, RELEASE_FOREIGN -> store.release(NAME, TestRequest.owner(ANNA), FencingToken.NONE);
      case FORCE_RELEASE, FORCE_RELEASE_CORRUPT -> store.forceRelease(NAME);
      case FREEZE, FREEZE_AGAIN -> store.freeze(FREEZING);
      case UNFREEZE, UNFREEZE_CORRUPT -> store.unfreeze(NAME);
    };
  }

  /** The calls that it makes without failures, in a directory of its own. */
  List<TappedDirectory.Call> calls(FileFixture files) {
    List<TappedDirectory.Call> calls = new ArrayList<>();
    prepare(files);
    files.time().advance(age());
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), calls::add), files.time())) {
      run(store);
    }
    return calls;
  }
}

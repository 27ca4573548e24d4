package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;

/**
 * A program that follows the specification and does not know guards, tokens or durable writes: it creates a lock only
 * if there is none, removes its own only while it has not expired, and may renew it late if no other took it.
 */
final class ForeignWriter {
  private static final Object SELF = "foreigner";
  private static final String ACTOR = "script";

  private final Schedule schedule;
  private final int name;
  private final Ledger ledger;
  private SimulatedDisk.@Nullable Inode own;
  private long createdSecond;
  private long beatSecond;
  private long deadlineNanos;
  private int runs;

  ForeignWriter(Schedule schedule, int name) {
    this.schedule = schedule;
    this.name = name;
    this.ledger = schedule.checker().ledger(name);
  }

  /** Performs its next possible action. */
  void act() {
    SimulatedDisk.Inode standing = schedule.disk().get(ledger.file());
    SimulatedTime time = schedule.time();
    if (standing == null) {
      runs++;
      createdSecond = time.wallSecond();
      beatSecond = createdSecond;
      put(Tally.Event.FOREIGN_CREATE);
      schedule.tell(name, ACTOR, new RequestId(id()));
    } else if (standing == own) {
      boolean expired = time.nanos() - deadlineNanos > 0;
      if (expired && time.wallSecond() <= beatSecond) {
        // With the clock set back, a late heartbeat would change no byte, and could not be detected.
        return;
      }
      if (expired || schedule.dice().chance(600)) {
        beatSecond = Math.max(beatSecond, time.wallSecond());
        put(Tally.Event.FOREIGN_BEAT);
      } else {
        ledger.doubt(SELF);
        schedule.disk().remove(ledger.file());
        schedule.checker().changedByForeigner(name, null);
        schedule.happened(Tally.Event.FOREIGN_REMOVE, ledger.file());
        schedule.removed(name, standing);
        own = null;
      }
    } else {
      own = null;
    }
  }

  /** The wall clock was set forward, or the power went: it has no lock that it may believe in. */
  void forget() {
    own = null;
    ledger.doubt(SELF);
  }

  private void put(Tally.Event event) {
    SimulatedTime time = schedule.time();
    SimulatedDisk.Inode lock = new SimulatedDisk.Inode();
    byte[] content = record().getBytes(StandardCharsets.US_ASCII);
    lock.write(0, content, content.length);
    lock.installed(new SimulatedDisk.Origin(time.bootNumber(), time.nanos(), true));
    deadlineNanos = time.nanos() + schedule.profile().ttlSeconds() * SimulatedTime.SECOND;
    own = lock;
    schedule.disk().add(ledger.file(), lock);
    schedule.checker().changedByForeigner(name, lock.text());
    schedule.happened(event, ledger.file());
    Ledger.Belief rival = ledger.rivalOf(SELF, time.nanos());
    schedule.checker().require(rival == null, "I1", "a foreigner found the name free, yet it is held", rival);
    ledger.believe(new Ledger.Belief(SELF, id(), 0, deadlineNanos));
  }

  private String id() {
    return "foreign-" + runs;
  }

  private String record() {
    return """
        {
          "lock_version": "v1",
          "lock_name": "%s",
          "request_id": "%s",
          "actor": "%s",
          "intent": "deploy",
          "intent_version": "1",
          "host_id": "here",
          "pid": 7,
          "created_at": "%s",
          "last_heartbeat_at": "%s",
          "ttl_seconds": %d,
          "metadata": {}
        }
        """.formatted(Schedule.nameOf(name), id(), ACTOR, Instant.ofEpochSecond(createdSecond),
        Instant.ofEpochSecond(beatSecond), schedule.profile().ttlSeconds());
  }
}

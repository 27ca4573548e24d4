package fleet.tower.lock.file;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;

/**
 * The calls of one process to the store, chosen at random and by its memory; some of that survives a crash, as in a
 * client.
 */
final class RandomCalls {
  private static final List<String> ACTORS = List.of("ann", "bert", "cleo", "operator");
  private static final int SAME_REQUEST = 300;

  private final SimulatedProcess process;
  private final Schedule schedule;
  private final AnswerChecker answers;
  private final SeededRandom dice;
  private final Memory[] memories;
  private final Holder holder;
  private int requests;

  RandomCalls(SimulatedProcess process, Schedule schedule, Tally tally) {
    this.process = process;
    this.schedule = schedule;
    this.dice = schedule.dice();
    this.answers = new AnswerChecker(schedule.checker(), schedule.disk(), schedule.time(), tally);
    holder = new Holder(ACTORS.get(process.number()), "deploy", "1", "here", 42, false);
    memories = new Memory[schedule.profile().names()];
    for (int i = 0; i < memories.length; i++) {
      memories[i] = new Memory();
    }
  }

  /** The knowledge about one name. */
  private static final class Memory {
    private @Nullable RequestId request;
    private Owner.Kind kind = Owner.Kind.CLIENT;
    private FencingToken token = FencingToken.NONE;
    private FencingToken outdated = FencingToken.NONE;
    private boolean holding;
    private boolean unsure;

    void took(HeldLease held) {
      FencingToken next = held.lease().token();
      if (!next.equals(token)) {
        outdated = token;
        token = next;
      }
      holding = true;
      unsure = false;
    }

    void lost() {
      holding = false;
      unsure = false;
    }
  }

  /** The process died during a call: it must find out whether it holds a lock. */
  void crashed() {
    for (int i = 0; i < memories.length; i++) {
      memories[i].unsure = memories[i].request != null;
      memories[i].holding = false;
      schedule.checker().ledger(i).doubt(process.number());
    }
  }

  /** One call of the store. */
  void next(FileLockStore store) {
    int name = dice.pick(memories.length);
    Memory memory = memories[name];
    if (schedule.isRunInvolved()) {
      // The same id and actor in the other role: its locks of this id are no longer its own.
      memory.kind = memory.kind == Owner.Kind.RUN ? Owner.Kind.CLIENT : Owner.Kind.RUN;
    }
    if (schedule.isForgettingDue(name)) {
      forget(store, name);
      return;
    }
    int choice = dice.pick(100);
    if (choice < 6) {
      look(store, name);
    } else if (choice < 9) {
      list(store, name);
    } else if (choice < 12) {
      forceRelease(store, name);
    } else if (dice.chance(schedule.profile().freezes())) {
      if (dice.chance(600)) {
        freeze(store, name);
      } else {
        unfreeze(store, name);
      }
    } else if (memory.request != null && !memory.outdated.isNone() && choice < 22) {
      withToken(store, name, memory, memory.outdated);
    } else if (memory.unsure) {
      recall(store, name, memory);
    } else if (memory.holding && choice < 85) {
      withToken(store, name, memory, memory.token);
    } else if (memory.holding && choice < 95) {
      acquire(store, name, memory);
    } else {
      if (memory.request == null || !dice.chance(SAME_REQUEST)) {
        begin(memory, name);
      }
      if (memory.unsure) {
        recall(store, name, memory);
      } else {
        acquire(store, name, memory);
      }
    }
  }

  /**
   * Uses a new request id, or one that it has seen another actor use. Then it behaves like a client that was cut off
   * and holds the lock already: it repeats its request, and renews and releases with that id.
   */
  private void begin(Memory memory, int name) {
    RequestId seen = isStranger() ? schedule.seen(name, holder.actor()) : null;
    memory.request = seen == null ? new RequestId("p" + process.number() + "-" + ++requests) : seen;
    memory.unsure = seen != null;
    memory.token = FencingToken.NONE;
    memory.outdated = FencingToken.NONE;
    schedule.tell(name, holder.actor(), memory.request);
  }

  /** After a crash, or with another's id: repeats the request, cleans up by request id alone, or gives up. */
  private void recall(FileLockStore store, int name, Memory memory) {
    switch (dice.pick(6)) {
      case 0 -> withToken(store, name, memory, FencingToken.NONE);
      case 1 -> {
        memory.request = null;
        memory.lost();
      }
      default -> acquire(store, name, memory);
    }
  }

  private void withToken(FileLockStore store, int name, Memory memory, FencingToken token) {
    if (dice.chance(600)) {
      renew(store, name, memory, token);
    } else {
      release(store, name, memory, token);
    }
  }

  private boolean isStranger() {
    int strangers = schedule.profile().strangers();
    return strangers > 0 && dice.chance(strangers);
  }

  private void acquire(FileLockStore store, int name, Memory memory) {
    RequestId request = known(memory);
    boolean force = dice.chance(600);
    boolean mayKeep = !isStranger();
    AnswerChecker.Start start = begin(Operation.Kind.ACQUIRE, name, claim(owner(memory), FencingToken.NONE, mayKeep),
        force);
    try {
      AcquireOutcome outcome = store.acquire(TestRequest.of(leaseName(name), request, holder,
          new Ttl(schedule.profile().ttlSeconds()), force, metadata(memory))
          .with(mayKeep ? AcquireRequest.Reentry.CLIENT : AcquireRequest.Reentry.NEVER));
      answers.acquired(process.operation(), start, outcome);
      switch (outcome) {
        case AcquireOutcome.Granted(var held, var _) -> memory.took(held);
        case AcquireOutcome.Kept(var held) -> memory.took(held);
        case AcquireOutcome.Refused _ -> memory.lost();
        case AcquireOutcome.Undone undone -> memory.unsure = undone.leftBehind();
      }
      process.end(outcome);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private void renew(FileLockStore store, int name, Memory memory, FencingToken token) {
    AnswerChecker.Start start = begin(Operation.Kind.RENEW, name, claim(owner(memory), token, true), false);
    try {
      RenewOutcome outcome = store.renew(leaseName(name), owner(memory), token);
      boolean current = token.isNone() || token.equals(memory.token);
      if (current || outcome instanceof RenewOutcome.Renewed) {
        answers.renewed(process.operation(), start, outcome);
        if (outcome instanceof RenewOutcome.Renewed(var held, var _)) {
          memory.took(held);
        } else {
          memory.lost();
        }
      }
      process.end(outcome);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private void release(FileLockStore store, int name, Memory memory, FencingToken token) {
    AnswerChecker.Start start = begin(Operation.Kind.RELEASE, name, claim(owner(memory), token, true), false);
    boolean current = token.isNone() || token.equals(memory.token);
    if (current) {
      schedule.checker().ledger(name).doubt(process.number());
      memory.lost();
    }
    try {
      ReleaseOutcome outcome = store.release(leaseName(name), owner(memory), token);
      answers.released(process.operation(), start, outcome);
      process.end(outcome);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private void forceRelease(FileLockStore store, int name) {
    AnswerChecker.Start start = begin(Operation.Kind.FORCE_RELEASE, name, anybody(), false);
    try {
      var outcome = store.forceRelease(leaseName(name),
          lease -> lease.isOfRun() && lease.token().value() % 2 == 1);
      answers.forceReleased(process.operation(), start, outcome);
      process.end(outcome);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private void freeze(FileLockStore store, int name) {
    AnswerChecker.Start start = begin(Operation.Kind.FREEZE, name, anybody(), false);
    try {
      long seconds = dice.oneOf(1, (int) schedule.profile().ttlSeconds());
      FreezeOutcome outcome = store.freeze(new FreezeRequest(leaseName(name), new RequestId("anybody"), "ann", "why",
          new Ttl(seconds), null));
      answers.froze(process.operation(), start, outcome);
      process.end(outcome);
    } catch (StorageException e) {
      answers.failedToFreeze(process.operation(), e);
      process.end(e);
    }
  }

  private void unfreeze(FileLockStore store, int name) {
    AnswerChecker.Start start = begin(Operation.Kind.UNFREEZE, name, anybody(), false);
    try {
      UnfreezeOutcome outcome = store.unfreeze(leaseName(name));
      answers.unfroze(process.operation(), start, outcome);
      process.end(outcome);
    } catch (StorageException e) {
      answers.failedToFreeze(process.operation(), e);
      process.end(e);
    }
  }

  private void forget(FileLockStore store, int name) {
    AnswerChecker.Start start = begin(Operation.Kind.FORGET, name, anybody(), false);
    try {
      boolean isForgotten = store.forget(leaseName(name), Duration.ZERO);
      if (isForgotten) {
        answers.forgot(process.operation());
      }
      process.end(isForgotten);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private void look(FileLockStore store, int name) {
    AnswerChecker.Start start = begin(Operation.Kind.LOOK, name, anybody(), false);
    try {
      var outcome = store.view(leaseName(name));
      answers.looked(process.operation(), start, outcome);
      process.end(outcome);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private void list(FileLockStore store, int name) {
    AnswerChecker.Start start = begin(Operation.Kind.LIST, name, anybody(), false);
    try {
      var outcome = store.list();
      answers.listed(process.operation(), start, outcome);
      process.end(outcome);
    } catch (StorageException e) {
      failed(start, e);
    }
  }

  private AnswerChecker.Start begin(Operation.Kind kind, int name, Operation.Claim claim, boolean force) {
    process.begin(new Operation(kind, process.number(), name, claim, force));
    return answers.start(name);
  }

  private void failed(AnswerChecker.Start start, StorageException problem) {
    answers.failed(process.operation(), start, problem);
    process.end(problem);
  }

  private static RequestId known(Memory memory) {
    if (memory.request == null) {
      throw new IllegalStateException("no request is under way");
    }
    return memory.request;
  }

  private static LeaseName leaseName(int name) {
    return new LeaseName(Schedule.nameOf(name));
  }

  private Owner owner(Memory memory) {
    return new Owner(known(memory), holder.actor(), memory.kind);
  }

  private static AcquireRequest.Metadata metadata(Memory memory) {
    return memory.kind == Owner.Kind.RUN
        ? AcquireRequest.Metadata.NONE.ofRun()
        : AcquireRequest.Metadata.NONE;
  }

  private static Operation.Claim claim(Owner owner, FencingToken token, boolean mayKeep) {
    return new Operation.Claim(owner, token, mayKeep);
  }

  private Operation.Claim anybody() {
    return claim(Owner.ofClient(new RequestId("anybody"), holder.actor()), FencingToken.NONE, true);
  }
}

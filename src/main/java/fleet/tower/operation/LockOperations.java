package fleet.tower.operation;

import static fleet.tower.access.Role.AGENT;
import static fleet.tower.access.Role.OPERATOR;
import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.Arg.Via.COMMAND;
import static fleet.tower.operation.Arg.Via.HTTP;
import static fleet.tower.operation.Arg.Via.TOOL;
import static fleet.tower.operation.CommonArgs.CURSOR;
import static fleet.tower.operation.CommonArgs.LIMIT;
import static fleet.tower.operation.CommonArgs.REASON;
import static fleet.tower.operation.CommonArgs.REQUEST_ID;
import static fleet.tower.operation.Operation.Method.DELETE;
import static fleet.tower.operation.Operation.Method.GET;
import static fleet.tower.operation.Operation.Method.POST;
import static fleet.tower.operation.Operation.Method.PUT;

import java.time.Duration;
import java.util.List;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Operation.Effect;
import fleet.tower.platform.json.JsonObject;

/** The operations on locks that clients hold themselves, and on freezes. */
public final class LockOperations {
  /** The length of a wait that gives none. */
  public static final Duration USUAL_WAIT = Duration.ofMinutes(10);

  public static final Arg<String> NAME = Arg.text("lock_name", "NAME", "the name of the lock").operand();
  public static final Arg<String> OWNING = REQUEST_ID.says("the id of the request that acquired the lock").must();
  public static final Arg<Long> TTL = Arg.seconds("ttl_seconds", 1, Ttl.MAX_SECONDS,
      "how long the lock stays valid after its last heartbeat").or(Ttl.DEFAULT.seconds());
  public static final Arg<Long> WAIT = Arg.seconds("wait_seconds", 0, Wait.MAX_SECONDS, "wait while the lock is held")
      .or(0L).bare(USUAL_WAIT.toSeconds());
  public static final Arg<Boolean> FORCE = Arg.flag("force_lock", "take the lock from its holder if it is stale")
      .needs(OPERATOR).only(HTTP, COMMAND);
  public static final Arg<String> INTENT = Arg.text("intent", "I", "what the lock is for").or("manual");
  public static final Arg<String> INTENT_VERSION = Arg.text("intent_version", "V", "the intent's version").or("none");
  public static final Arg<JsonObject> METADATA = Arg.members("metadata", "K=V", "what readers of the lock see");
  public static final Arg<Long> PID = Arg.whole("pid", 0, Long.MAX_VALUE, "N",
      "the process shown as its holder (default: this one)").only(COMMAND);
  public static final Arg<Long> TOKEN = Arg.whole("fencing_token", 0, Long.MAX_VALUE, "N",
      "the fencing token of the lock; compared if given").option("token");
  /** A user who can write the files of a home can end every lock in it, so an actor is compared only if one is given. */
  public static final Arg<String> OWNER = Arg.text("actor", "A",
      "require this owner (default: the request id alone decides)").only(COMMAND);
  public static final Arg<String> RESULT = Arg.word("result", List.of("success", "failure", "aborted"),
      "how the work ended").or("success");
  public static final Arg<String> FAILURE_STEP = Arg.text("failure_step", "S", "the step that failed");
  public static final Arg<Boolean> ABANDON = Arg.flag("abandon",
      "take the lock even from a live run, which is stopped and not rolled back").only(HTTP, COMMAND);
  public static final Arg<String> WITHDRAWN = REQUEST_ID.says("the request that waits").operand();
  public static final Arg<Long> FREEZE_TTL = Arg.seconds("ttl_seconds", 1, Ttl.MAX_SECONDS,
      "how long it lasts: every freeze expires").must();
  public static final Arg<String> FREEZE_REASON = REASON.says("why; shown to every refused caller").must();

  public static final Operation LIST = Operation.of("listLocks", VIEWER, GET, "/locks", "list the locks",
      LIMIT.only(HTTP, TOOL), CURSOR.only(HTTP, TOOL))
      .command("locks").tool("list_locks", Effect.NOTHING, "Lists held and frozen locks.");
  public static final Operation VIEW = Operation.of("getLock", VIEWER, GET, "/locks/{name}", "show a lock", NAME)
      .command("why").tool("explain_lock", Effect.NOTHING, "Says who holds or froze a lock; what frees it.");
  public static final Operation WITHDRAW = Operation.of("withdrawLockRequest", AGENT, DELETE,
      "/locks/{name}/waiters/{request_id}", "end a wait for a lock", NAME, WITHDRAWN);
  public static final Operation RELEASE = Operation.of("releaseLock", AGENT, DELETE, "/locks/{name}",
      "release a lock that I hold", NAME, OWNING, TOKEN, OWNER, RESULT, FAILURE_STEP)
      .command("unlock").tool("release_lock", Effect.OWN, "Releases your lock.");
  public static final Operation ACQUIRE = Operation.of("acquireLock", AGENT, POST, "/locks/{name}",
      "acquire a lock and print the request id that owns it", NAME, TTL, WAIT, FORCE, REQUEST_ID, INTENT,
      INTENT_VERSION, METADATA, REASON, PID)
      .command("lock")
      .tool("acquire_lock", Effect.OWN_ONCE, "Locks what no intent does. Renew within ttl_seconds; release it.")
      .waiting(new Operation.Waiting(WAIT, WITHDRAW, RELEASE, LockOperations::aborted));
  public static final Operation RENEW = Operation.of("renewLock", AGENT, POST, "/locks/{name}/heartbeat",
      "renew a lock that I hold", NAME, OWNING, TOKEN, OWNER)
      .command("heartbeat")
      .tool("renew_lock", Effect.OWN, "Keeps your lock. If refused, stop.");
  public static final Operation FORCE_RELEASE = Operation.of("forceReleaseLock", OPERATOR, POST,
      "/locks/{name}/force-release", "remove a lock regardless of its holder; audited", NAME, REASON.must(), ABANDON,
      REQUEST_ID).command("force-release");

  public static final Operation LIST_FREEZES = Operation.of("listFreezes", VIEWER, GET, "/freezes",
      "list the freezes");
  public static final Operation FREEZE = Operation.of("freezeLock", OPERATOR, PUT, "/freezes/{name}",
      "block new holders of a lock for a limited time; the current holder continues", NAME, FREEZE_TTL, FREEZE_REASON,
      REQUEST_ID).command("freeze");
  public static final Operation UNFREEZE = Operation.of("unfreezeLock", OPERATOR, DELETE, "/freezes/{name}",
      "lift a freeze, including another actor's; audited", NAME, REQUEST_ID).command("unfreeze");

  /** All of them. */
  public static final List<Operation> ALL = List.of(LIST, VIEW, ACQUIRE, RENEW, RELEASE, FORCE_RELEASE, WITHDRAW,
      LIST_FREEZES, FREEZE, UNFREEZE);

  private LockOperations() {}

  /** The argument that names a lock. */
  public static Given of(LeaseName name) {
    return Given.NOTHING.with(NAME, name.value());
  }

  private static List<Given> aborted(JsonObject granted) {
    return granted.text("request_id").stream().map(owner -> Given.NOTHING
        .with(NAME, granted.text("lock_name").orElseThrow()).with(OWNING, owner).with(RESULT, "aborted")).toList();
  }
}

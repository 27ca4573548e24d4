package fleet.tower.openapi;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.harness.Await;
import fleet.tower.openapi.CheckedClient.Later;
import fleet.tower.platform.time.SystemTime;

/** The calls about locks and freezes. */
final class LockCalls {
  private static final int MOST_WAITERS = 100;

  private final CheckedClient drive;

  LockCalls(CheckedClient drive) {
    this.drive = drive;
  }

  private CheckedClient.Call on(String operation, String lock) {
    return drive.call(operation).with("name", lock);
  }

  private CheckedClient.Call release(String lock, String by) {
    return on("releaseLock", lock).with("request_id", by);
  }

  void life() {
    on("getLock", "life").answers(404, "lock_not_found");
    on("acquireLock", "life").with("X-Actor", "ann")
        .send(
            """
                {'request_id':'r1','ttl_seconds':60,'intent':'deploy-app','intent_version':'1.2.0','metadata':{'ticket':'OPS-7'},
                'force_lock':false,'wait_seconds':0,'reason':'INC-7'}""")
        .answers(201);
    on("acquireLock", "life").send("{'request_id':'r1','ttl_seconds':60}").answers(200);
    on("acquireLock", "life").send("{}").answers(409, "lock_blocked");
    on("acquireLock", "life").send("{'ttl_seconds':0}").answers(400, "invalid_request");
    on("acquireLock", "life").send("{'reason':' '}").answers(400, "invalid_request");
    on("acquireLock", "Life").answers(400, "invalid_lock_name");
    String idOfRun = "{'request_id':'no-lock'}";
    drive.call("runIntent").with("name", "say").send(idOfRun).answers(200);
    on("acquireLock", "life").send(idOfRun).answers(409, "lock_of_run");
    on("getLock", "life").answers(200);
    drive.call("listLocks").answers(200);
    on("renewLock", "life").send("{'request_id':'r1'}").answers(200);
    on("renewLock", "life").send("{'request_id':'r1','fencing_token':1}").answers(200);
    on("renewLock", "life").send("{'request_id':'r1','fencing_token':0}").answers(200);
    on("renewLock", "life").send("{'request_id':'r1','fencing_token':9}").answers(409, "lock_lost");
    on("renewLock", "life").send("{'request_id':'r2'}").answers(409, "not_lock_owner");
    on("renewLock", "none").send("{'request_id':'r2'}").answers(404, "lock_not_found");
    release("life", "r2").answers(409, "not_lock_owner");
    release("life", "r1").with("fencing_token", "1").with("result", "failure").with("failure_step", "migrate")
        .answers(200);
    release("life", "r1").answers(404, "lock_not_found");
  }

  void ofRun() {
    drive.call("runIntent").with("name", "wait").with("Prefer", "respond-async")
        .send("{'params':{'lock':'owned'},'request_id':'run-1'}").answers(202);
    Await.until("the run holds its lock", () -> drive.service.get("/locks/owned").body().contains("\"run-1\""));
    on("acquireLock", "owned").send("{'request_id':'run-1'}").answers(409, "lock_of_run");
    on("renewLock", "owned").send("{'request_id':'run-1'}").answers(409, "lock_of_run");
    release("owned", "run-1").answers(409, "lock_of_run");
    on("forceReleaseLock", "owned").send("{'reason':'it hangs'}").answers(409, "run_active");
    on("forceReleaseLock", "owned").send("{'reason':'it hangs','abandon':true}").answers(200);
    Await.until("the run is stopped",
        () -> drive.service.get("/runs/run-1").body().contains("\"status\":\"lock_lost\""));
  }

  void misread() {
    Instant longAgo = SystemTime.source().now().minusSeconds(100);
    drive.service.foreignLock("dead", longAgo, 10);
    drive.service.rawLock("garbage", "this is no lock");
    drive.service.rawLock("newer", "{\"lock_version\":\"v9\"}");
    for (String lock : List.of("dead", "garbage", "newer")) {
      on("getLock", lock).answers(200);
    }
    drive.call("listLocks").answers(200);
    drive.pages("listLocks");
    on("acquireLock", "dead").send("{}").answers(409, "lock_stale");
    on("acquireLock", "garbage").send("{}").answers(409, "lock_corrupt");
    on("acquireLock", "newer").send("{}").answers(409, "unsupported_lock_version");
    for (String lock : List.of("garbage", "newer")) {
      on("renewLock", lock).send("{'request_id':'r1'}").answers(409, "lock_corrupt", "unsupported_lock_version");
      release(lock, "r1").answers(409, "lock_corrupt", "unsupported_lock_version");
    }
    on("acquireLock", "dead").send("{'force_lock':true,'request_id':'thief'}").answers(201);
    on("forceReleaseLock", "dead").send("{'reason':'its host burned down','request_id':'r3'}").answers(200);
    on("forceReleaseLock", "garbage").send("{'reason':'nobody holds it'}").answers(200);
    on("forceReleaseLock", "garbage").send("{'reason':'nobody holds it'}").answers(404, "lock_not_found");
    on("forceReleaseLock", "newer").send("{}").answers(400, "invalid_request");
    on("forceReleaseLock", "newer").send("{'reason':'nobody holds it'}").answers(200);
  }

  void unreadableFreeze() throws IOException {
    Files.createFile(drive.service.home().resolve("logs/locks/.ice.freeze"));
    on("getLock", "ice").answers(200);
    drive.call("listFreezes").answers(200);
    on("acquireLock", "ice").send("{}").answers(409, "lock_frozen");
    on("unfreezeLock", "ice").answers(200);
  }

  void waiting() {
    on("acquireLock", "wait").send("{'request_id':'r1'}").answers(201);
    on("acquireLock", "wait").send("{'wait_seconds':1}").answers(409, "lock_wait_timeout");
    Later waiter = on("acquireLock", "wait").send("{'request_id':'r2','wait_seconds':600}").later();
    awaitWaiters("wait", 1);
    on("withdrawLockRequest", "wait").with("request_id", "r2").answers(200);
    waiter.answers(409, "lock_request_withdrawn");
    on("withdrawLockRequest", "wait").with("request_id", "r2").answers(404, "not_waiting");

    List<Later> crowd = new ArrayList<>();
    for (int i = 0; i < MOST_WAITERS; i++) {
      crowd.add(on("acquireLock", "wait").send("{'request_id':'crowd-" + i + "','wait_seconds':600}").later());
    }
    awaitWaiters("wait", MOST_WAITERS);
    on("acquireLock", "wait").send("{'wait_seconds':1}").answers(429, "too_many_waiters");
    for (int i = 0; i < MOST_WAITERS; i++) {
      on("withdrawLockRequest", "wait").with("request_id", "crowd-" + i).answers(200);
    }
    crowd.forEach(one -> one.answers(409, "lock_request_withdrawn"));
    release("wait", "r1").answers(200);
  }

  private void awaitWaiters(String lock, int waiters) {
    Await.until(waiters + " wait",
        () -> drive.service.get("/locks/" + lock).body().contains("\"waiters\":" + waiters + ","));
  }

  void freezes() {
    String freeze = "{'ttl_seconds':600,'reason':'moving the database','request_id':'f1'}";
    on("freezeLock", "cold").with("X-Actor", "ann").with("X-Door", "console").send(freeze).answers(201);
    on("freezeLock", "cold").with("X-Actor", "ann").send(freeze).answers(200);
    on("freezeLock", "cold").send("{'ttl_seconds':600,'reason':'again'}").answers(409, "lock_frozen");
    on("freezeLock", "cold").send("{'reason':'for ever'}").answers(400, "invalid_request");
    drive.call("listFreezes").answers(200);
    on("getLock", "cold").answers(200);
    on("acquireLock", "cold").send("{}").answers(409, "lock_frozen");
    on("acquireLock", "cold").send("{'wait_seconds':1}").answers(409, "lock_wait_timeout");
    on("unfreezeLock", "cold").with("request_id", "f2").answers(200);
    on("unfreezeLock", "cold").answers(404, "not_frozen");
  }

  void halts() {
    String halt = "{'locks':['halted-*'],'ttl_seconds':900,'reason':'incident 7','request_id':'h1'}";
    on("placeHalt", "night").with("X-Actor", "ann").send(halt).answers(201);
    on("placeHalt", "night").with("X-Actor", "ann").send(halt).answers(200);
    on("placeHalt", "night").send("{'locks':['halted-*'],'level':'drain','reason':'incident 7'}").answers(200);
    on("placeHalt", "night").send("{'reason':'of nothing'}").answers(400, "invalid_request");
    drive.call("listHalts").answers(200);
    on("acquireLock", "halted-1").send("{}").answers(409, "halted");
    on("liftHalt", "night").with("request_id", "h2").answers(200);
    on("liftHalt", "night").answers(404, "halt_not_found");
  }
}

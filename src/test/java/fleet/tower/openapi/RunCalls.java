package fleet.tower.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.TestRunService;
import fleet.tower.service.web.access.TestTokens;
import tools.jackson.databind.json.JsonMapper;

/** The calls about intents and runs, to a service that runs two at a time and one from the queue. */
final class RunCalls {
  /** Who may approve runs. */
  static final List<String> APPROVERS = List.of("ada", "bob");

  private final CheckedClient drive;
  private final TestRunService bench;

  RunCalls(CheckedClient drive, TestRunService bench) {
    this.drive = drive;
    this.bench = bench;
  }

  /** The home's additional intents. */
  static void declare(Path home) throws IOException {
    Files.createDirectories(home.resolve("project"));
    TestService.declare(home, "sync", """
        mode: mutate
        controls: { lock: sync, respect: ["beads:project"], exclusive: ["flock:project/flock"] }
        steps: [{ name: work, run: [echo, done] }]
        """);
    TestService.declare(home, "beating", """
        mode: reconcile
        schedule: "0 0 4 1 1 *"
        controls: { lock: beating, heartbeat: progress }
        timeouts: { lock_ttl: 60 }
        steps:
          - name: work
            script: echo begun; until [ -e "$TOWER_HOME/go-beating" ]; do sleep 0.05; done
        rollback: [{ name: tell, run: [echo, undone] }]
        """);
    TestService.declare(home, "seen", """
        mode: mutate
        controls: { lock: seen }
        probe: { script: "printf '{\\"on\\":true}'" }
        desired: { on: true }
        steps: [{ name: act, run: [sleep, "60"] }]
        """);
    gated(home, "gated", "{}");
    gated(home, "hasty", "{ within: 1s, from: [ada] }");
    Files.writeString(home.resolve("intents/broken.yaml"), "kind: Intent\n");
  }

  /** An intent whose runs must be approved. */
  private static void gated(Path home, String name, String terms) {
    TestService.declare(home, name, """
        mode: mutate
        params: { key: { type: string, secret: true } }
        controls: { lock: gated }
        approve: %s
        steps: [{ name: work, run: [echo, done] }]
        """.formatted(terms));
  }

  private CheckedClient.Call on(String operation, String intent) {
    return drive.call(operation).with("name", intent);
  }

  private CheckedClient.Call of(String operation, String run) {
    return drive.call(operation).with("id", run);
  }

  private void awaitStatus(String run, String status) {
    Await.until(run + " is " + status,
        () -> drive.service.get("/runs/" + run).body().contains("\"status\":\"" + status + "\",\"result\""));
  }

  void catalogue() {
    drive.call("listIntents").answers(200);
    for (String intent : List.of("say", "beating", "vault", "sync")) {
      on("getIntent", intent).answers(200);
    }
    on("getIntent", "sey").answers(404, "intent_not_found");
    on("planIntent", "sey").send("{}").answers(404, "intent_not_found");
    on("planIntent", "say").send("{}").answers(200);
    on("planIntent", "fail").with("Idempotency-Key", "key-0").with("Prefer", "wait=1")
        .with("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").answers(200);
    on("planIntent", "wait").send("{'params':{}}").answers(400, "invalid_params");
    on("planIntent", "wait").send("{'params':{'lock':'No Name'}}").answers(400, "invalid_lock_name");
    on("planIntent", "vault").send("{'params':{'key':'hush-hush-hush'},'request_id':'p1','metadata':{'a':1}}")
        .answers(200);
  }

  void runs() {
    on("runIntent", "say").with("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .with("X-Actor", "ann").send("{'params':{'text':'hi'},'request_id':'say-1','metadata':{'ticket':'OPS-7'}}")
        .answers(200);
    on("runIntent", "say").with("Idempotency-Key", "key-1").send("{}").answers(200);
    on("runIntent", "say").with("Idempotency-Key", "key-1").send("{}").answers(200);
    on("runIntent", "say").with("Idempotency-Key", "key-1").send("{'params':{'text':'bye'}}")
        .answers(422, "idempotency_mismatch");
    on("runIntent", "fail").send("{'request_id':'fail-1'}").answers(200);
    on("runIntent", "say").with("Prefer", "respond-async").send("{'request_id':'say-2'}").answers(202);
    on("runIntent", "say").with("Prefer", "wait=60").send("{'request_id':'say-2'}").answers(200);
    on("planIntent", "say").send("{'again':'say-1'}").answers(200);
    on("runIntent", "say").send("{'again':'say-1','request_id':'again-1'}").answers(200);
    on("runIntent", "say").send("{'again':'say-1','request_id':'again-1'}").answers(200);
    of("getRun", "again-1").answers(200);
    on("runIntent", "say").send("{'again':'fail-1'}").answers(400, "invalid_request");
    on("runIntent", "say").send("{'again':'none'}").answers(400, "invalid_request");
    on("runIntent", "nothing").send("{}").answers(404, "intent_not_found");
    on("runIntent", "wait").send("{}").answers(400, "invalid_params");
    on("runIntent", "wait").send("{'params':{'lock':'No Name'}}").answers(400, "invalid_lock_name");
    on("runIntent", "say").send("{'force':true}").answers(400, "invalid_request");
    drive.call("listRuns").answers(200);
    drive.pages("listRuns");
    drive.call("listRuns").with("intent", "say").with("status", "succeeded").with("limit", "1").answers(200);
    drive.call("listRuns").with("actor", "operator").with("lock_name", "prod").with("since", "2020-01-31T08:00:00Z")
        .with("id_prefix", "say").answers(200);
    drive.call("listRuns").with("since", "yesterday").answers(400, "invalid_request");
    of("getRun", "say-1").with("Prefer", "wait=1").answers(200);
    of("getRun", "say-1").with("wait_seconds", "1").answers(200);
    of("getRun", "say-1").with("Prefer", "wait=soon").answers(400, "invalid_request");
    drive.call("listRuns").with("status", "sleeping").answers(400, "invalid_request");
    for (String run : List.of("say-1", "fail-1")) {
      of("getRun", run).answers(200);
      of("followRun", run).answers(200);
      of("followRun", run).with("last_event_id", "0.s").answers(200);
      of("followRun", run).with("Last-Event-ID", "end").answers(204);
      of("cancelRun", run).send("{}").answers(409, "run_finished");
      of("beatRun", run).answers(409, "run_finished");
      of("settleRun", run).answers(409, "run_finished");
    }
    for (String operation : List.of("getRun", "followRun", "cancelRun", "beatRun", "settleRun", "getRunOutput",
        "downloadRunOutput")) {
      of(operation, "none").answers(404, "run_not_found");
      of(operation, "no id").answers(400, "invalid_request");
    }
  }

  void probes() {
    on("getIntent", "seen").answers(200);
    on("planIntent", "seen").send("{}").answers(200);
    on("probeIntent", "seen").send("{}").answers(200);
    on("probeIntent", "seen").send("{'params':{'none':1}}").answers(400, "invalid_params");
    on("probeIntent", "sey").send("{}").answers(404, "intent_not_found");
    on("probeIntent", "say").send("{}").answers(409, "no_probe");
    on("runIntent", "seen").with("Prefer", "respond-async").send("{'request_id':'seen-1'}").answers(202);
    awaitStatus("seen-1", "running");
    of("settleRun", "seen-1").answers(409, "run_active");
    Await.until("it has its lock", () -> drive.service.get("/locks/seen").body().contains("seen-1"));
    drive.call("forceReleaseLock").with("name", "seen").send("{'reason':'it hangs','abandon':true}").answers(200);
    awaitStatus("seen-1", "lock_lost");
    of("settleRun", "seen-1").answers(200);
    of("settleRun", "seen-1").answers(200);
    of("getRun", "seen-1").answers(200);
  }

  void output() {
    on("runIntent", "say").send("{'params':{'text':'one line'},'request_id':'out-1'}").answers(200);
    of("getRunOutput", "out-1").answers(200);
    of("getRunOutput", "out-1").with("step", "print").with("offset", "-3").with("lines", "1").answers(200);
    of("getRunOutput", "out-1").with("before", "8").answers(200);
    of("getRunOutput", "out-1").with("step", "prin").answers(400, "invalid_request");
    of("searchRunOutput", "out-1").with("step", "print").with("q", "LINE").with("case", "false").with("offset", "0")
        .with("limit", "1").answers(200);
    of("searchRunOutput", "none").with("q", "x").answers(404, "run_not_found");
    of("downloadRunOutput", "out-1").answers(200);
    of("downloadRunOutput", "out-1").with("step", "script").answers(200);
    of("followRun", "out-1").with("output", "sizes").answers(200);
  }

  /** The output of a run of another host, whose files are lost. */
  void lostOutput() throws Exception {
    try (var database = DriverManager.getConnection("jdbc:sqlite:" + drive.service.home().resolve("state/tower.db"));
        var update = database.createStatement()) {
      update.execute("PRAGMA busy_timeout = 10000");
      update.executeUpdate("UPDATE runs SET document = replace(document, '\"host_id\":\"tower-01\"',"
          + " '\"host_id\":\"tower-02\"') WHERE request_id = 'out-1'");
    }
    Files.delete(drive.service.home().resolve("logs/runs/out-1/print.log"));
    Files.delete(drive.service.home().resolve("logs/runs/out-1/script.log"));
    of("getRunOutput", "out-1").answers(200);
    of("searchRunOutput", "out-1").with("q", "x").answers(200);
    of("downloadRunOutput", "out-1").answers(200);
    of("followRun", "out-1").answers(200);
  }

  void refused() {
    drive.service.post("/locks/short", "{\"request_id\":\"holder\"}");
    on("planIntent", "short").send("{}").answers(200);
    on("runIntent", "short").send("{}").answers(409, "lock_blocked");
    on("runIntent", "short").send("{'wait_seconds':1}").answers(409, "lock_wait_timeout");
    on("runIntent", "short").with("Prefer", "wait=60").send("{'wait_seconds':1}").answers(409, "lock_wait_timeout");
    drive.service.call("DELETE", "/locks/short?request_id=holder", "");
    drive.service.foreignLock("dead-run", SystemTime.source().now().minusSeconds(100), 10);
    on("planIntent", "wait").send("{'params':{'lock':'dead-run'}}").answers(200);
    on("runIntent", "wait").send("{'params':{'lock':'dead-run'}}").answers(409, "lock_stale");
    drive.service.rawLock("bad-run", "this is no lock");
    on("planIntent", "wait").send("{'params':{'lock':'bad-run'}}").answers(200);
    on("runIntent", "wait").send("{'params':{'lock':'bad-run'}}").answers(409, "lock_corrupt");
    drive.service.rawLock("new-run", "{\"lock_version\":\"v9\"}");
    on("runIntent", "wait").send("{'params':{'lock':'new-run'}}").answers(409, "unsupported_lock_version");
    drive.service.call("PUT", "/freezes/cold-run", "{\"ttl_seconds\":60,\"reason\":\"moving\"}", "Content-Type",
        "application/json");
    on("planIntent", "wait").send("{'params':{'lock':'cold-run'}}").answers(200);
    on("runIntent", "wait").send("{'params':{'lock':'cold-run'}}").answers(409, "lock_frozen");
  }

  /** Runs of a plan that is not theirs, or no longer theirs when they get their lock. */
  void changedPlans() throws IOException {
    on("runIntent", "short").send("{'plan_hash':'0123456789ab'}").answers(409, "plan_changed");
    String hash = JsonMapper.shared().readTree(on("planIntent", "short").send("{}").answers(200).body())
        .get("plan_hash").asString();
    on("runIntent", "short").send("{'plan_hash':'" + hash + "'}").answers(200);
    drive.service.post("/locks/short", "{\"request_id\":\"holder\"}");
    CheckedClient.Later kept = on("runIntent", "short")
        .send("{'request_id':'plan-1','wait_seconds':60,'plan_hash':'" + hash + "'}").later();
    Await.until("it waits", () -> drive.service.get("/runs/plan-1").body().contains("\"position\":1"));
    Path file = drive.service.home().resolve("intents/short.yaml");
    String declared = Files.readString(file);
    Files.writeString(file, declared.replace("script: echo", "script: printf '%s\\n'"));
    drive.service.call("DELETE", "/locks/short?request_id=holder", "");
    kept.answers(409, "plan_changed");
    Files.writeString(file, declared);
    of("getRun", "plan-1").answers(200);
  }

  private CheckedClient.Call vote(String run, String voter, String body) {
    return drive.call("vote").with("request_id", run).as(TestTokens.tokenOf(voter)).send(body);
  }

  /** Requests a run that must be approved, and returns the hash of its plan. */
  private String requested(String intent, String run) {
    return JsonMapper.shared().readTree(on("runIntent", intent).send("{'request_id':'" + run + "'}").answers(202)
        .body()).get("approval").get("plan_hash").asString();
  }

  void approvals() {
    on("planIntent", "gated").send("{}").answers(200);
    String hash = requested("gated", "gate-1");
    of("getRun", "gate-1").answers(200);
    drive.call("getApproval").with("request_id", "gate-1").answers(200);
    drive.call("getApproval").with("request_id", "say-1").answers(404, "approval_not_found");
    vote("none", "bob", "{'decision':'reject'}").answers(404, "approval_not_found");
    vote("gate-1", "ann", "{'decision':'reject'}").answers(403, "forbidden");
    vote("gate-1", "bob", "{'decision':'approve'}").answers(400, "invalid_request");
    vote("gate-1", "bob", "{'decision':'approve','plan_hash':'0123456789ab'}").answers(409, "plan_hash_mismatch");
    String approve = "{'decision':'approve','plan_hash':'" + hash + "','reason':'seen','for_seconds':60,'max':1}";
    vote("gate-1", "bob", approve).answers(200);
    drive.call("getApproval").with("request_id", "gate-1").answers(200);
    vote("gate-1", "bob", approve).answers(200);
    of("getRun", "gate-1").with("wait_seconds", "60").answers(200);
    vote("gate-1", "ada", "{'decision':'reject'}").answers(200);
    vote("gate-1", "ada", "{'decision':'reject'}").answers(409, "approval_closed");
    requested("gated", "gate-2");
    drive.call("getApproval").with("request_id", "gate-2").answers(200);
    drive.call("listApprovals").with("state", "open").with("limit", "1").answers(200);
    of("cancelRun", "gate-2").answers(202);
    drive.call("listApprovals").answers(200);
  }

  void notApproved() {
    CheckedClient.Call request = on("runIntent", "gated").as(TestTokens.tokenOf("bob"));
    request.send("{'request_id':'gate-3'}").answers(202);
    vote("gate-3", "bob", "{'decision':'reject'}").answers(403, "own_request");
    CheckedClient.Later kept = waiting(request.with("Prefer", "wait=60"));
    vote("gate-3", "ada", "{'decision':'reject','reason':'not today'}").answers(200);
    kept.answers(409, "approval_rejected");
    request.answers(409, "approval_rejected");
    drive.call("listApprovals").with("state", "rejected").answers(200);
    requested("hasty", "gate-4");
    on("runIntent", "hasty").with("Prefer", "wait=60").send("{'request_id':'gate-4'}")
        .answers(409, "approval_expired");
    drive.call("getApproval").with("request_id", "gate-4").answers(200);
  }

  private double replays() {
    return drive.service.get("/actuator/prometheus").body().lines()
        .filter(it -> it.startsWith("tower_idempotency_replays_total"))
        .mapToDouble(it -> Double.parseDouble(it.substring(it.lastIndexOf(' ') + 1))).sum();
  }

  /** Repeats a request that waits for the end of its run. */
  private CheckedClient.Later waiting(CheckedClient.Call call) {
    double before = replays();
    CheckedClient.Later later = call.later();
    Await.until("it waits", () -> replays() > before);
    return later;
  }

  /** The process that had the secrets of a run in memory ends before the run is approved. */
  void lostSecrets(Path home) {
    gated(home, "gated", "{}");
    EveryCall.declare(home);
    String request = "{'params':{'key':'hush-hush'},'request_id':'lost-1'}";
    try (TestService before = new TestService(home)) {
      assertThat(before.post("/intents/gated", request.replace('\'', '"')).status()).isEqualTo(202);
    }
    try (TestService after = new TestService(home)) {
      RunCalls calls = new RunCalls(drive.on(after), bench);
      String hash = JsonMapper.shared().readTree(after.get("/approvals/lost-1").body()).get("plan_hash").asString();
      CheckedClient.Later kept = calls
          .waiting(calls.on("runIntent", "gated").with("Prefer", "wait=60").send(request));
      calls.vote("lost-1", "ada", "{'decision':'approve','plan_hash':'" + hash + "'}").answers(200);
      kept.answers(409, "secrets_lost");
    }
  }

  void foreignLocks() throws IOException {
    Path foreign = drive.service.home().resolve("project/.exclusive-lock");
    Files.writeString(foreign, """
        {"holder":"vc-executor","pid":7,"hostname":"another-host","started_at":"2025-10-25T12:00:00Z"}
        """);
    on("planIntent", "sync").send("{}").answers(200);
    on("runIntent", "sync").send("{}").answers(409, "foreign_lock");
    Files.writeString(foreign, "who knows");
    on("planIntent", "sync").send("{}").answers(200);
    on("runIntent", "sync").send("{}").answers(409, "foreign_lock");
    Files.delete(foreign);
    on("runIntent", "sync").send("{}").answers(200);
  }

  void atWork() {
    on("runIntent", "beating").with("Prefer", "respond-async").send("{'request_id':'beat-1','reason':'INC-7'}")
        .answers(202);
    awaitStatus("beat-1", "running");
    of("beatRun", "beat-1").send("{}").answers(200);
    of("getRun", "beat-1").answers(200);
    drive.call("listHosts").answers(200);
    CompletableFuture<Answer> holder = bench.begin("busy", "busy-1");
    of("beatRun", "busy-1").answers(200);
    of("cancelRun", "beat-1").send("{}").answers(202);
    awaitStatus("beat-1", "cancelled");
    of("followRun", "beat-1").answers(200);
    String waiting = "{'params':{'lock':'busy'},'request_id':'wait-1','wait_seconds':60}";
    Await.until("there is room", () -> drive.service.call("POST", "/intents/short", waiting.replace('\'', '"'),
        "Content-Type", "application/json", "Prefer", "respond-async").status() == 202);
    on("runIntent", "short").with("Prefer", "respond-async").send(waiting).answers(202);
    Await.until("it waits", () -> drive.service.get("/runs/wait-1").body().contains("\"position\":1"));
    of("getRun", "wait-1").answers(200);
    of("followRun", "wait-1").tells(1);
    of("cancelRun", "wait-1").answers(202);
    awaitStatus("wait-1", "cancelled");
    bench.letGo("busy");
    Await.until("its end", holder::isDone);
  }

  void tooMany() {
    CompletableFuture<Answer> first = bench.begin("full", "full-1");
    CompletableFuture<Answer> second = bench.begin("full-too", "full-2");
    on("runIntent", "say").send("{}").answers(429, "too_many_runs");
    bench.letGo("full");
    bench.letGo("full-too");
    Await.until("their end", () -> first.isDone() && second.isDone());
  }

  void policy() throws IOException {
    Path file = drive.service.home().resolve("config/policy.yaml");
    Files.writeString(file, """
        windows:
          - { name: audit, deny: true, locks: ["closed-*"], cron: "0 0 0 * * *", for: 24h, zone: UTC, reason: an audit }
          - { name: quiet, deny: true, intents: [say], cron: "0 0 0 * * *", for: 24h, zone: UTC, reason: no noise }
        values:
          - { name: few, intents: [wait], params: { lock: { enum: [gate] } } }
        quotas:
          - { name: none, intents: [short], concurrent: 1, runs: 1/1h }
          - { name: held, intents: [held], locks: 0 }
        """);
    Await.until("the policy is read", () -> drive.service.post("/intents/say", "{}").status() == 409);
    drive.call("acquireLock").with("name", "closed-1").send("{}").answers(409, "window_closed");
    on("runIntent", "say").send("{}").answers(409, "window_closed");
    on("runIntent", "wait").send("{'params':{'lock':'later'}}").answers(403, "params_not_allowed");
    Await.until("the quota is used", () -> drive.service.post("/intents/short", "{}").status() == 429);
    on("runIntent", "short").send("{}").answers(429, "quota_exceeded");
    drive.call("acquireLock").with("name", "too-many").send("{'intent':'held'}").answers(429, "quota_exceeded");
    Files.delete(file);
    Await.until("it is gone", () -> drive.service.post("/intents/say", "{}").status() == 200);
  }

  void queued() throws IOException {
    String first = "{'params':{'lock':'gate'},'request_id':'q-1','queue':true}";
    String second = "{'params':{'lock':'later'},'request_id':'q-2','queue':true}";
    on("runIntent", "wait").with("Prefer", "respond-async").send(first).answers(202);
    Await.until("the first runs", () -> bench.lines("begun-gate").contains("q-1"));
    on("runIntent", "wait").with("Prefer", "wait=0").send(second).answers(202);
    of("getRun", "q-2").answers(200);
    CheckedClient.Later kept = on("runIntent", "wait").send(second).later();
    Path file = drive.service.home().resolve("intents/wait.yaml");
    String declared = Files.readString(file);
    Files.writeString(file, declared.replace("lock: { type: string, required: true }",
        "lock: { type: string, required: true }\n    more: { type: string, required: true }"));
    Await.until("the intent has changed",
        () -> drive.service.get("/intents/wait").body().contains("\"more\""));
    bench.letGo("gate");
    awaitStatus("q-2", "refused");
    kept.answers(409, "intent_changed");
    of("getRun", "q-2").answers(200);
    Files.writeString(file, declared);
  }
}

package fleet.tower.openapi;

import fleet.tower.harness.Await;

/** The calls about tasks. */
final class TaskCalls {
  private final CheckedClient drive;
  private int requests;

  TaskCalls(CheckedClient drive) {
    this.drive = drive;
  }

  /** A body with an agent, a new request id, and further members. */
  private String by(String agent, String more) {
    requests++;
    return "{'agent':'" + agent + "','request_id':'t-" + requests + "'" + (more.isEmpty() ? "}" : "," + more + "}");
  }

  private CheckedClient.Call on(String operation, String task) {
    return drive.call(operation).with("id", task);
  }

  private void create(String id, String more) {
    drive.call("createTask").send(by("boss", "'id':'" + id + "','title':'T'" + more)).answers(201);
  }

  void life() {
    String first = by("Boss", "'id':'parser','title':'Port the parser','description':'all of it','priority':5,"
        + "'depends_on':[],'project':'life','assigned_to':'ann','intent':'say','params':{'text':'hi'}");
    drive.call("createTask").send(first).answers(201);
    drive.call("createTask").send(first).answers(200);
    drive.call("createTask").send(first.replace("5", "6")).answers(422, "idempotency_mismatch");
    drive.call("createTask").send(by("boss", "'id':'parser','title':'T'")).answers(409, "task_exists");
    drive.call("createTask").send(by("boss", "'title':'T','depends_on':['none']")).answers(422, "unknown_dependency");
    drive.call("createTask").send(by("boss", "'title':'T','intent':'sey'")).answers(404, "intent_not_found");
    drive.call("createTask").send(by("boss", "'title':'T','intent':'wait'")).answers(400, "invalid_params");
    drive.call("createTask").send(by("boss", "")).answers(400, "invalid_request");
    on("getTask", "parser").answers(200);
    drive.call("listTasks").answers(200);
    drive.call("listTasks").with("project", "life").with("status", "pending").with("limit", "5").answers(200);
    drive.call("listTasks").with("status", "gone").answers(400, "invalid_request");
    String claim = by("ann", "'project':'life','ttl_seconds':60,'with_intent':true");
    drive.call("claimTask").send(claim).answers(200);
    drive.call("claimTask").send(claim).answers(200);
    drive.call("claimTask").send(claim.replace("60", "61")).answers(422, "idempotency_mismatch");
    drive.call("claimTask").send(by("ann", "'project':'none'")).answers(200);
    drive.call("listTasks").with("claimed_by", "ann").answers(200);
    String beat = by("ann", "'attempt':1,'ttl_seconds':60");
    on("renewTask", "parser").send(beat).answers(200);
    on("renewTask", "parser").send(beat).answers(200);
    on("renewTask", "parser").send(beat.replace("60", "61")).answers(422, "idempotency_mismatch");
    String end = by("ann", "'attempt':1,'outcome':'blocked','reason':'no access'");
    on("closeTask", "parser").send(end).answers(200);
    on("closeTask", "parser").send(end).answers(200);
    on("closeTask", "parser").send(end.replace("blocked", "done")).answers(422, "idempotency_mismatch");
    on("closeTask", "parser").send(by("ann", "'outcome':'half'")).answers(400, "invalid_request");
    on("getTask", "parser").answers(200);
    String resume = by("ann", "'project':'life','ttl_seconds':60");
    drive.call("resumeTask").send(resume).answers(200);
    drive.call("resumeTask").send(resume).answers(200);
    drive.call("resumeTask").send(resume.replace("60", "61")).answers(422, "idempotency_mismatch");
    drive.call("resumeTask").send(by("zoe", "'project':'none','attempt':1")).answers(200);
    on("closeTask", "parser").send(by("bob", "'outcome':'done'")).answers(409, "claim_not_owned");
    on("closeTask", "parser").send(by("ann", "'outcome':'done'")).answers(200);
  }

  void events() {
    on("readTaskEvents", "parser").answers(200);
    on("readTaskEvents", "parser").with("after", "1").with("limit", "1").answers(200);
    on("readTaskEvents", "parser").accepting("text/event-stream").answers(200);
    on("readTaskEvents", "parser").accepting("text/event-stream").with("last_event_id", "1").answers(200);
    on("readTaskEvents", "parser").accepting("text/event-stream").with("Last-Event-ID", "999999").answers(204);
    on("readTaskEvents", "parser").with("after", "x").answers(400, "invalid_request");
    on("readTaskEvents", "none").answers(404, "task_not_found");
    on("getTask", "none").answers(404, "task_not_found");
    create("live", "");
    drive.pages("listTasks");
    on("readTaskEvents", "live").accepting("text/event-stream").tells(1);
  }

  void refused() {
    create("busy", ",'project':'refused'");
    create("after", ",'project':'refused','depends_on':['busy']");
    String start = by("ann", "'ttl_seconds':60");
    on("startTask", "busy").send(start).answers(200);
    on("startTask", "busy").send(start).answers(200);
    on("startTask", "busy").send(start.replace("60", "61")).answers(422, "idempotency_mismatch");
    on("startTask", "busy").send(by("ann", "'attempt':1")).answers(200);
    on("startTask", "busy").send(by("bob", "")).answers(409, "claim_contention");
    on("startTask", "after").send(by("bob", "")).answers(409, "dependencies_open");
    on("startTask", "parser").send(by("bob", "")).answers(409, "task_completed");
    on("startTask", "none").send(by("bob", "")).answers(404, "task_not_found");
    on("renewTask", "busy").send(by("bob", "")).answers(409, "claim_not_owned");
    on("renewTask", "none").send(by("bob", "")).answers(404, "task_not_found");
    on("closeTask", "none").send(by("bob", "'outcome':'done'")).answers(404, "task_not_found");
    on("releaseTask", "none").send(by("bob", "")).answers(404, "task_not_found");
    on("releaseTask", "busy").send(by("bob", "")).answers(409, "claim_not_owned");
    String release = by("ann", "'attempt':1");
    on("releaseTask", "busy").send(release).answers(200);
    on("releaseTask", "busy").send(release).answers(200);
    on("releaseTask", "busy").send(release.replace("1}", "2}")).answers(422, "idempotency_mismatch");
    on("releaseTask", "busy").send(by("ann", "")).answers(200);
  }

  void swept() {
    create("old", "");
    on("startTask", "old").send(by("ann", "'ttl_seconds':1")).answers(200);
    Await.until("the claim expires",
        () -> drive.service.get("/tasks/old").body().contains("\"claim_active\":false"));
    on("getTask", "old").answers(200);
    on("renewTask", "old").send(by("ann", "'attempt':1")).answers(409, "claim_not_owned");
    String sweep = by("boss", "");
    drive.call("sweepTasks").send(sweep).answers(200);
    drive.call("sweepTasks").send(sweep).answers(200);
    drive.call("sweepTasks").send(sweep.replace("boss", "chief")).answers(200);
    drive.call("claimTask").send(by("same", "")).answers(200);
    drive.call("sweepTasks").send("{'agent':'same','request_id':'t-" + requests + "'}")
        .answers(422, "idempotency_mismatch");
    on("readTaskEvents", "old").answers(200);
  }
}

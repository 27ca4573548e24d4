package fleet.tower.service.web;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.IntentJson;
import fleet.tower.cli.reply.PlanJson;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.Plan;
import fleet.tower.run.submit.PlanOutcome;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.web.call.WaitingCalls;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Query;
import fleet.tower.service.web.intent.IntentProblems;
import fleet.tower.service.web.intent.IntentRights;
import jakarta.servlet.http.HttpServletRequest;

/** Calls that list, plan and run intents. */
@RestController
@RequestMapping(path = "/intents", produces = MediaType.APPLICATION_JSON_VALUE)
final class IntentController {
  private static final String ONE = "/{name}";

  private final Catalogue catalogue;
  private final Runs runs;
  private final QueuedRuns queued;
  private final RunReplies replies;
  private final WaitingCalls endings;

  IntentController(Catalogue catalogue, Runs runs, QueuedRuns queued, RunReplies replies, WaitingCalls endings) {
    this.endings = endings;
    this.catalogue = catalogue;
    this.runs = runs;
    this.queued = queued;
    this.replies = replies;
  }

  @Needs(Role.VIEWER)
  @GetMapping
  ResponseEntity<byte[]> all(Query query, Caller caller) {
    query.allow();
    return Json.ok(JsonWriter.line()
        .list("intents", catalogue.list().stream().map(intent -> shown(intent, caller).end()).toList())
        .list("complaints",
            catalogue.complaints().stream().map(complaint -> IntentJson.complaint(complaint).end()).toList()));
  }

  @Needs(Role.VIEWER)
  @GetMapping(ONE)
  ResponseEntity<byte[]> one(@PathVariable("name") String name, Query query, Caller caller) {
    query.allow();
    return catalogue.find(name).map(intent -> Json.ok(shown(intent, caller)))
        .orElseGet(() -> IntentProblems.of(new SubmitOutcome.UnknownIntent(name, catalogue.closest(name))).answer());
  }

  /** Intents that the caller may not run are listed too: they explain locks and runs that it sees. */
  private static JsonWriter shown(Intent intent, Caller caller) {
    return IntentJson.intent(intent).put("allowed", caller.mayRun(intent.name()));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE)
  ResponseEntity<byte[]> run(@PathVariable("name") String name, RunCall.RunBody body, Caller caller,
      HttpServletRequest http) {
    RunCall call = call(name, body, caller, http);
    if (call.preference().isAsync()) {
      return answer(call, caller);
    }
    // Checked first: a refusal here has started nothing.
    try (WaitingCalls.Place _ = endings.enter()) {
      return answer(call, caller);
    }
  }

  private RunCall call(String name, RunCall.RunBody body, Caller caller, HttpServletRequest http) {
    RunCall call = RunCall.of(name, body, caller, http);
    IntentRights.require(caller, catalogue, name, call.request().params());
    return call;
  }

  private ResponseEntity<byte[]> answer(RunCall call, Caller caller) {
    return replies.answer(call, caller, call.isQueued() ? queued.enqueue(call.request()) : runs.submit(call.request()));
  }

  @Needs(Role.VIEWER)
  @PostMapping(ONE + "/plan")
  ResponseEntity<byte[]> plan(@PathVariable("name") String name, RunCall.RunBody body, Caller caller,
      HttpServletRequest http) {
    RunCall call = call(name, body, caller, http);
    return switch (runs.plan(call.request())) {
      case PlanOutcome.Planned(Plan plan) -> Json.ok(PlanJson.plan(plan));
      case PlanOutcome.NotPlanned(SubmitOutcome.Rejected why) -> RunProblems.of(why, name).answer();
    };
  }
}

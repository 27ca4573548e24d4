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
import fleet.tower.answer.IntentJson;
import fleet.tower.answer.IntentProblems;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.run.RunBody;
import fleet.tower.service.call.run.RunCall;
import fleet.tower.service.call.run.RunCalls;
import fleet.tower.service.web.http.HttpAsked;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;

/** Calls that list, plan and run intents. */
@RestController
@RequestMapping(path = "/intents", produces = MediaType.APPLICATION_JSON_VALUE)
final class IntentController {
  private static final String ONE = "/{name}";

  private final Catalogue catalogue;
  private final RunCalls calls;

  IntentController(Catalogue catalogue, RunCalls calls) {
    this.catalogue = catalogue;
    this.calls = calls;
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
        .orElseGet(() -> Json.answer(IntentProblems
            .of(new SubmitOutcome.UnknownIntent(name, catalogue.closest(name)), _ -> true)));
  }

  /** Intents that the caller may not run are listed too: they explain locks and runs that it sees. */
  private static JsonWriter shown(Intent intent, Caller caller) {
    return IntentJson.intent(intent).put("allowed", caller.mayRun(intent.name()));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE)
  ResponseEntity<byte[]> run(@PathVariable("name") String name, RunBody body, Caller caller,
      HttpServletRequest http) {
    RunCall call = calls.call(name, body, caller, new HttpRun(http));
    return Json.answer(calls.run(call, caller, new HttpAsked(http)));
  }

  @Needs(Role.VIEWER)
  @PostMapping(ONE + "/plan")
  ResponseEntity<byte[]> plan(@PathVariable("name") String name, RunBody body, Caller caller,
      HttpServletRequest http) {
    return Json.answer(calls.plan(calls.call(name, body, caller, new HttpRun(http)), caller));
  }
}

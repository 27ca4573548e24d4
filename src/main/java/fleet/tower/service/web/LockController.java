package fleet.tower.service.web;

import java.io.IOException;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.Locks.Result;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.lock.LockCalls;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletResponse;

/** Maps the paths of locks to their calls. */
@RestController
@RequestMapping(path = "/locks", produces = MediaType.APPLICATION_JSON_VALUE)
final class LockController {
  private static final String REQUEST_ID = "request_id";
  private static final int MAX_LIMIT = 10_000;
  private static final String ONE = "/{name}";

  private final LockCalls calls;

  LockController(LockCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.VIEWER)
  @GetMapping
  void all(Query query, HttpServletResponse response) throws IOException {
    query.allow("limit", Cursor.PARAMETER);
    Page page = LockCalls.page(query.integer("limit", 1, MAX_LIMIT).orElse(MAX_LIMIT), query.cursor());
    Json.page(response, "locks", calls.heartbeats(), page, rows -> calls.list(page, rows::add));
  }

  @Needs(Role.VIEWER)
  @GetMapping(ONE)
  ResponseEntity<byte[]> one(@PathVariable("name") String name, Query query) {
    query.allow();
    return Json.answer(calls.view(name));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE)
  ResponseEntity<byte[]> acquire(@PathVariable("name") String name, LockCalls.AcquireBody body, Caller caller) {
    return Json.answer(calls.acquire(name, body, caller));
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/waiters/{request_id}")
  ResponseEntity<byte[]> withdraw(@PathVariable("name") String name, @PathVariable(REQUEST_ID) String requestId,
      Query query, Caller caller) {
    query.allow();
    return Json.answer(calls.withdraw(name, requestId, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE + "/heartbeat")
  ResponseEntity<byte[]> heartbeat(@PathVariable("name") String name, LockCalls.HeartbeatBody body, Caller caller) {
    return Json.answer(calls.renew(name, body, caller));
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE)
  ResponseEntity<byte[]> release(@PathVariable("name") String name, Query query, Caller caller) {
    query.allow(REQUEST_ID, Metadata.TOKEN, "result", "failure_step");
    LeaseName lock = new LeaseName(name);
    LockCalls.Release release = new LockCalls.Release(new RequestId(query.required(REQUEST_ID)),
        query.text("result").map(LockCalls::result).orElse(Result.SUCCESS), token(query),
        query.text("failure_step").orElse(null));
    return Json.answer(calls.release(lock, release, caller));
  }

  @Needs(Role.OPERATOR)
  @PostMapping(ONE + "/force-release")
  ResponseEntity<byte[]> forceRelease(@PathVariable("name") String name, LockCalls.ForceReleaseBody body,
      Caller caller) {
    return Json.answer(calls.forceRelease(name, body, caller));
  }

  private static FencingToken token(Query query) {
    return query.text(Metadata.TOKEN).map(text -> {
      if (!text.matches("\\d{1,18}")) {
        throw CommonProblems.invalid(Metadata.TOKEN, "'" + Metadata.TOKEN + "' must be a whole number",
            "use the number returned with the lock, or omit it to skip the comparison");
      }
      return new FencingToken(Long.parseLong(text));
    }).orElse(FencingToken.NONE);
  }
}

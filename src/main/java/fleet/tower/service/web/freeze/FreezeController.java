package fleet.tower.service.web.freeze;

import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.FreezeJson;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.Problem;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.Freezes;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Body;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls about freezes, which block new holders of a lock; operators only. */
@RestController
@RequestMapping(path = "/freezes", produces = MediaType.APPLICATION_JSON_VALUE)
final class FreezeController {
  private static final String REQUEST_ID = "request_id";
  private static final String ONE = "/{name}";

  private final Freezes freezes;
  private final SecureRandom random = new SecureRandom();

  FreezeController(Freezes freezes) {
    this.freezes = freezes;
  }

  record FreezeBody(@Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, @NotNull String reason,
      @Nullable String requestId) implements Body {}

  /** All current freezes. */
  @Needs(Role.VIEWER)
  @GetMapping
  ResponseEntity<byte[]> all(Query query) {
    query.allow();
    Stream<JsonWriter> all = freezes.list().entrySet().stream()
        .map(one -> FreezeJson.frozen(one.getKey(), one.getValue())).filter(Objects::nonNull);
    return Json.ok(JsonWriter.line().list("freezes", all.map(JsonWriter::end).toList()));
  }

  @Needs(Role.OPERATOR)
  @PutMapping(ONE)
  ResponseEntity<byte[]> freeze(@PathVariable("name") String name, FreezeBody body, Caller caller) {
    Ttl ttl = Optional.ofNullable(body.ttlSeconds()).map(Ttl::new)
        .orElseThrow(() -> CommonProblems.invalid("ttl_seconds", "'ttl_seconds' is required: every freeze expires",
            "give 1 to " + Ttl.MAX_SECONDS));
    RequestId requestId = body.requestId() == null ? RequestId.random(random) : new RequestId(body.requestId());
    FreezeRequest request = new FreezeRequest(new LeaseName(name), requestId, caller.name(), body.reason(),
        ttl, caller.onBehalfOf());
    return switch (freezes.freeze(request, caller.door())) {
      case FreezeOutcome.Frozen(Freeze freeze) -> Json.created(FreezeJson.freeze(freeze));
      case FreezeOutcome.Kept(Freeze freeze) -> Json.ok(FreezeJson.freeze(freeze));
      case FreezeOutcome.AlreadyFrozen(FreezeState standing) ->
        Json.answer(alreadyFrozen(request.name(), standing));
    };
  }

  @Needs(Role.OPERATOR)
  @DeleteMapping(ONE)
  ResponseEntity<byte[]> unfreeze(@PathVariable("name") String name, Query query, Caller caller) {
    query.allow(REQUEST_ID);
    RequestId requestId = query.text(REQUEST_ID).map(RequestId::new).orElseGet(() -> RequestId.random(random));
    LeaseName lock = new LeaseName(name);
    return switch (freezes.unfreeze(caller.actor(), lock, requestId)) {
      case UnfreezeOutcome.Unfrozen(FreezeState lifted, var _) -> Json.ok(FreezeJson.unfrozen(lock, lifted));
      case UnfreezeOutcome.NotFrozen() -> Json.answer(Problem.of(ErrorCode.NOT_FROZEN,
          "lock " + lock + " is not frozen",
          JsonWriter.line().put("lock_name", lock.value()).put("suggestion", "see GET /freezes")));
    };
  }

  private static Problem alreadyFrozen(LeaseName name, FreezeState standing) {
    Decision.Refusal refusal = standing.refusal();
    if (refusal == null) {
      throw new IllegalStateException("lock " + name + " is reported as frozen, but the freeze is missing");
    }
    return Problem
        .ofAnswer(RefusalKind.of(refusal).code(), "lock " + name + " is already " + LockText.frozen(standing),
            LockJson.refusal(name, refusal))
        .next(NextActions.frozenAlready(name));
  }
}

package fleet.tower.service.call.run;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.operation.GivenParams;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.Run;
import fleet.tower.run.submit.PlanHash;
import fleet.tower.run.submit.RunRequest;

/**
 * A valid request for a run or a plan, by a caller who may make it.
 *
 * @param isQueued whether any executor may run it
 */
public record RunCall(RunRequest request, boolean isQueued, Preference preference) {
  static RunCall of(String intent, RunBody body, Caller caller, RunDoor door) {
    caller.requireIntent(intent);
    boolean force = body.forceLock();
    if (force) {
      caller.require(Role.OPERATOR, "take a lock by force");
    }
    long waitSeconds = Objects.requireNonNullElse(body.waitSeconds(), 0L);
    RunRequest request = new RunRequest(intent, GivenParams.of(body.params()),
        body.requestId() == null ? null : new RequestId(body.requestId()), door.key().orElse(null),
        new Run.Origin(caller.actor(), metadata(body.metadata(), caller), door.trace()),
        new RunRequest.Terms(force, Duration.ofSeconds(waitSeconds)), null, null)
        .because(CommonProblems.validReason(body.reason()))
        .requiring(body.planHash() == null ? null : PlanHash.parse(body.planHash()));
    return new RunCall(request, body.queue(), door.preference());
  }

  /** JSON on one line; line breaks and tabs occur only between its values. */
  private static String metadata(@Nullable JsonObject metadata, Caller caller) {
    // Metadata that no lock accepts is refused even if the intent takes no lock.
    Metadata _ = Metadata.of(metadata, caller.onBehalfOf());
    return (metadata == null ? "{}" : metadata.raw()).replaceAll("[\\r\\n\\t]", " ");
  }
}

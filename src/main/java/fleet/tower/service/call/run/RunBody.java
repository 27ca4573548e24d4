package fleet.tower.service.call.run;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.call.Body;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/**
 * The body of a request for a run or a plan.
 *
 * @param reason why it is made, for the audit log
 * @param planHash the hash of the plan that the run must carry out; null for any
 */
public record RunBody(@Nullable JsonObject params, @Nullable String requestId, boolean forceLock,
    @Min(0) @Max(Wait.MAX_SECONDS) @Nullable Long waitSeconds, @Nullable JsonObject metadata, boolean queue,
    @Nullable String reason, @Nullable String planHash)
    implements
      Body {}

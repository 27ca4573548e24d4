package fleet.tower.run.submit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;

/**
 * Somebody wants an intent run.
 *
 * @param requestId the id that the run shall have; null for a new one
 * @param idempotencyKey what makes a repeated request the same one, besides the id; null for nothing
 */
public record RunRequest(String intent, Map<String, Values.Given> params, @Nullable RequestId requestId,
    @Nullable String idempotencyKey, Run.Origin origin, Terms terms) {
  public RunRequest {
    requireNonNull(intent);
    params = Map.copyOf(params);
    requireNonNull(origin);
    requireNonNull(terms);
  }

  /** The same request under an id. */
  RunRequest withId(RequestId id) {
    return new RunRequest(intent, params, id, idempotencyKey, origin, terms);
  }

  /** On which terms the lock is asked for: taken from a dead holder, and waited for while somebody alive has it. */
  public record Terms(boolean force, Duration patience) {
    public static final Terms PLAIN = new Terms(false, Duration.ZERO);

    public Terms {
      requireNonNull(patience);
    }
  }
}

package fleet.tower.service.web;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.Run;
import fleet.tower.run.TraceContext;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.intent.GivenParams;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/**
 * A request for a run or a plan: its body and headers, parsed strictly.
 *
 * @param isQueued whether any executor may run it
 */
record RunCall(RunRequest request, boolean isQueued, Preference preference) {
  private static final String KEY = "Idempotency-Key";
  private static final int MAX_KEY = 255;
  private static final Pattern WAIT = Pattern.compile("wait\\s*=\\s*\"?(\\d{1,9})\"?");

  RunCall {
    requireNonNull(request);
    requireNonNull(preference);
  }

  record RunBody(@Nullable JsonObject params, @Nullable String requestId, boolean forceLock,
      @Min(0) @Max(Wait.MAX_SECONDS) @Nullable Long waitSeconds, @Nullable JsonObject metadata, boolean queue)
      implements
        Body {}

  /**
   * How long the answer is delayed at most, so that it can report the end of the run.
   *
   * @param limit null for no limit
   * @param applied the preference that was applied; null for none
   */
  record Preference(@Nullable Duration limit, @Nullable String applied) {
    private static final Preference NONE = new Preference(null, null);
    private static final Preference ASYNC = new Preference(Duration.ZERO, "respond-async");

    /** Whether the answer is always 202, even if the run has already ended. */
    boolean isAsync() {
      return limit != null && limit.isZero();
    }
  }

  static RunCall of(String intent, RunBody body, Caller caller, HttpServletRequest http) {
    caller.requireIntent(intent);
    boolean force = body.forceLock();
    if (force) {
      caller.require(Role.OPERATOR, "take a lock by force");
    }
    long waitSeconds = Objects.requireNonNullElse(body.waitSeconds(), 0L);
    RunRequest request = new RunRequest(intent, GivenParams.of(body.params()),
        body.requestId() == null ? null : new RequestId(body.requestId()), key(http).orElse(null),
        new Run.Origin(caller.actor(), metadata(body.metadata(), caller), trace(http)),
        new RunRequest.Terms(force, Duration.ofSeconds(waitSeconds)));
    return new RunCall(request, body.queue(), preference(http));
  }

  /** JSON on one line; line breaks and tabs occur only between its values. */
  private static String metadata(@Nullable JsonObject metadata, Caller caller) {
    // Metadata that no lock accepts is refused even if the intent takes no lock.
    Metadata _ = Metadata.of(metadata, caller.onBehalfOf());
    return (metadata == null ? "{}" : metadata.raw()).replaceAll("[\\r\\n\\t]", " ");
  }

  /** A repeated header is refused as ambiguous. */
  private static @Nullable TraceContext trace(HttpServletRequest http) {
    List<String> given = Collections.list(http.getHeaders("traceparent"));
    return given.size() == 1 ? TraceContext.parse(given.getFirst().strip()).orElse(null) : null;
  }

  /** The key, with or without quotes. */
  private static Optional<String> key(HttpServletRequest http) {
    List<String> keys = Collections.list(http.getHeaders(KEY));
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    String key = keys.getFirst().strip();
    if (key.length() > 1 && key.startsWith("\"") && key.endsWith("\"")) {
      key = key.substring(1, key.length() - 1);
    }
    if (keys.size() > 1 || key.isEmpty() || key.length() > MAX_KEY || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw Problems.invalid(KEY, KEY + " must be 1 to " + MAX_KEY + " visible ASCII characters, sent once",
          "use a random UUID for each new request, and the same one to repeat it");
    }
    return Optional.of(key);
  }

  /** Unknown preferences are ignored, as RFC 7240 requires. */
  static Preference preference(HttpServletRequest http) {
    Preference found = Preference.NONE;
    for (String header : Collections.list(http.getHeaders("Prefer"))) {
      for (String one : header.split(",", -1)) {
        String preference = one.strip().toLowerCase(Locale.ROOT);
        if (preference.equals("respond-async") && found.limit() == null) {
          found = Preference.ASYNC;
        } else if (preference.startsWith("wait")) {
          found = waiting(preference);
        }
      }
    }
    return found;
  }

  private static Preference waiting(String preference) {
    Matcher wait = WAIT.matcher(preference);
    if (!wait.matches() || Long.parseLong(wait.group(1)) > Wait.MAX_LIMIT.toSeconds()) {
      throw Problems.invalid("Prefer", "Prefer: wait must be a whole number of seconds from 0 to "
          + Wait.MAX_LIMIT.toSeconds(), "correct the value, or omit it to get the answer when the run has ended");
    }
    long seconds = Long.parseLong(wait.group(1));
    return new Preference(Duration.ofSeconds(seconds), "wait=" + seconds);
  }
}

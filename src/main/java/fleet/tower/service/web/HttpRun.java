package fleet.tower.service.web;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.CommonProblems;
import fleet.tower.lock.queue.Wait;
import fleet.tower.run.TraceContext;
import fleet.tower.service.call.run.Preference;
import fleet.tower.service.call.run.RunDoor;
import fleet.tower.service.web.http.HttpAsked;
import jakarta.servlet.http.HttpServletRequest;

/** The headers of a request for a run, parsed strictly. */
record HttpRun(HttpServletRequest http) implements RunDoor {
  private static final String KEY = "Idempotency-Key";
  private static final int MAX_KEY = 255;
  private static final Pattern WAIT = Pattern.compile("wait\\s*=\\s*\"?(\\d{1,9})\"?");

  @Override
  public void hasSecrets() {
    HttpAsked.hasSecrets(http);
  }

  /** The key, with or without quotes. */
  @Override
  public Optional<String> key() {
    List<String> keys = Collections.list(http.getHeaders(KEY));
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    String key = keys.getFirst().strip();
    if (key.length() > 1 && key.startsWith("\"") && key.endsWith("\"")) {
      key = key.substring(1, key.length() - 1);
    }
    if (keys.size() > 1 || key.isEmpty() || key.length() > MAX_KEY || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw CommonProblems.invalid(KEY, KEY + " must be 1 to " + MAX_KEY + " visible ASCII characters, sent once",
          "use a random UUID for each new request, and the same one to repeat it");
    }
    return Optional.of(key);
  }

  /** A repeated header is refused as ambiguous. */
  @Override
  public @Nullable TraceContext trace() {
    List<String> given = Collections.list(http.getHeaders("traceparent"));
    return given.size() == 1 ? TraceContext.parse(given.getFirst().strip()).orElse(null) : null;
  }

  /** Unknown preferences are ignored, as RFC 7240 requires. */
  @Override
  public Preference preference() {
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
      throw CommonProblems.invalid("Prefer", "Prefer: wait must be a whole number of seconds from 0 to "
          + Wait.MAX_LIMIT.toSeconds(), "correct the value, or omit it to get the answer when the run has ended");
    }
    long seconds = Long.parseLong(wait.group(1));
    return new Preference(Duration.ofSeconds(seconds), "wait=" + seconds);
  }
}

package fleet.tower.run;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A W3C {@code traceparent}: a trace, one of its spans, and whether the trace is sampled.
 */
public record TraceContext(String traceparent) {
  private static final Pattern FORM = Pattern.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
  private static final String NO_TRACE = "00-" + "0".repeat(32);
  private static final String NO_SPAN = "-" + "0".repeat(16) + "-";

  public TraceContext {
    if (!isValid(traceparent)) {
      throw new IllegalStateException("'" + traceparent + "' is not a traceparent");
    }
  }

  /** Parses a header; an invalid one counts as absent, as the recommendation requires. */
  public static Optional<TraceContext> parse(String text) {
    return isValid(text) ? Optional.of(new TraceContext(text)) : Optional.empty();
  }

  private static boolean isValid(String text) {
    return FORM.matcher(text).matches() && !text.startsWith(NO_TRACE) && !text.contains(NO_SPAN);
  }

  /** The id of the trace. */
  public String traceId() {
    return traceparent.substring(3, 35);
  }

  /** The id of the span. */
  public String spanId() {
    return traceparent.substring(36, 52);
  }

  /** The trace flags, as two hexadecimal digits. */
  public String flags() {
    return traceparent.substring(53);
  }
}

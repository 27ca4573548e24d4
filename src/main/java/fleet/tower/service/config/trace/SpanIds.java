package fleet.tower.service.config.trace;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import fleet.tower.run.Run;
import fleet.tower.run.TraceContext;

/**
 * The ids of a run's spans, derived from what never changes about the run. So a step can know its span before it
 * exists, and the process that exports a finished run need not be the one that started it.
 */
final class SpanIds {
  private static final int TRACE_BYTES = 16;
  private static final int SPAN_BYTES = 8;

  private SpanIds() {}

  /** The caller's trace, or the run's own. */
  static String trace(Run.Header header) {
    TraceContext callers = header.origin().trace();
    return callers == null ? digest(header, "trace", TRACE_BYTES) : callers.traceId();
  }

  static String run(Run.Header header) {
    return digest(header, "run", SPAN_BYTES);
  }

  /** The span of a step or rollback, by the name of its log file. */
  static String step(Run.Header header, String logName) {
    return digest(header, "step " + logName, SPAN_BYTES);
  }

  /** A refused request that is repeated is another run, with another start time. */
  private static String digest(Run.Header header, String what, int bytes) {
    String text = header.requestId() + " " + header.createdAt().toEpochMilli() + " " + what;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}

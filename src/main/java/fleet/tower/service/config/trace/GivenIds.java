package fleet.tower.service.config.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.sdk.trace.IdGenerator;

/** An id generator that gives spans predetermined ids. */
final class GivenIds implements IdGenerator {
  private static final ScopedValue<Ids> MEANT = ScopedValue.newInstance();

  private record Ids(String traceId, String spanId) {}

  /** Starts a span with an id; its trace is its parent's, if it has one. */
  static Span begin(SpanBuilder span, String traceId, String spanId) {
    return ScopedValue.where(MEANT, new Ids(traceId, spanId)).call(span::startSpan);
  }

  @Override
  public String generateSpanId() {
    return MEANT.get().spanId();
  }

  @Override
  public String generateTraceId() {
    return MEANT.get().traceId();
  }
}

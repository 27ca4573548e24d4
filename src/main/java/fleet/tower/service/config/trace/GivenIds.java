package fleet.tower.service.config.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.sdk.trace.IdGenerator;

/** Gives spans the ids that are meant for them. */
final class GivenIds implements IdGenerator {
  private static final ScopedValue<Ids> MEANT = ScopedValue.newInstance();

  private record Ids(String traceId, String spanId) {}

  /** Begins a span under an id; its trace is that of its parent, where it has one. */
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

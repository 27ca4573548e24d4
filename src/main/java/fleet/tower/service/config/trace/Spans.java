package fleet.tower.service.config.trace;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.Locks;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.StepRecord;
import fleet.tower.run.TraceContext;
import fleet.tower.run.Tracing;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;

/**
 * Exports every finished run as a span, with a child span for each step that started. Spans go to a bounded queue; what
 * does not fit is dropped, and no run ever waits for a collector. Records contain no secrets, so spans do not either.
 */
final class Spans implements Tracing, RunListener {
  private final Tracer tracer;
  private final Sampler sampler;

  /** @param sampler the sampler of the tracer */
  Spans(Tracer tracer, Sampler sampler) {
    this.tracer = tracer;
    this.sampler = sampler;
  }

  @Override
  public TraceContext ofRun(Run.Header header) {
    return context(header, SpanIds.run(header));
  }

  @Override
  public TraceContext ofStep(Run.Header header, String logName) {
    return context(header, SpanIds.step(header, logName));
  }

  private TraceContext context(Run.Header header, String spanId) {
    String traceId = SpanIds.trace(header);
    boolean isKept = sampler.shouldSample(parent(header), traceId, name(header), kind(header), Attributes.empty(),
        List.of()).getDecision() == SamplingDecision.RECORD_AND_SAMPLE;
    return new TraceContext("00-" + traceId + "-" + spanId + (isKept ? "-01" : "-00"));
  }

  private static String name(Run.Header header) {
    return "run " + header.subject().intent();
  }

  private static SpanKind kind(Run.Header header) {
    return header.origin().trace() == null ? SpanKind.INTERNAL : SpanKind.SERVER;
  }

  private static Context parent(Run.Header header) {
    TraceContext callers = header.origin().trace();
    return callers == null
        ? Context.root()
        : Context.root().with(Span.wrap(SpanContext.createFromRemoteParent(callers.traceId(), callers.spanId(),
            TraceFlags.fromHex(callers.flags(), 0), TraceState.getDefault())));
  }

  @Override
  public void ended(Run run) {
    Run.Header header = run.header();
    String traceId = SpanIds.trace(header);
    Span span = GivenIds.begin(tracer.spanBuilder(name(header)).setParent(parent(header)).setSpanKind(kind(header))
        .setStartTimestamp(header.createdAt()).setAllAttributes(attributes(run)), traceId, SpanIds.run(header));
    Context within = Context.root().with(span);
    run.begun().forEach(step -> tell(step, header, within, traceId));
    end(span, run.status().result() == Locks.Result.SUCCESS, run.status().toString(), header.createdAt(),
        run.finishedAt());
  }

  private void tell(StepRecord step, Run.Header header, Context within, String traceId) {
    Instant begun = step.startedAt() == null ? header.createdAt() : step.startedAt();
    Span span = GivenIds.begin(tracer.spanBuilder("step " + step.name()).setParent(within).setStartTimestamp(begun)
        .setAllAttributes(attributes(step, header)), traceId, SpanIds.step(header, step.logName()));
    end(span, step.status() == StepRecord.Status.SUCCEEDED, step.status().toString(), begun,
        begun.plus(Duration.ofMillis(step.durationMillis())));
  }

  /** The wall clock may have been set back meanwhile. */
  private static void end(Span span, boolean isGood, String status, Instant begun, @Nullable Instant at) {
    if (!isGood) {
      span.setStatus(StatusCode.ERROR, status);
    }
    span.end(at == null || at.isBefore(begun) ? begun : at);
  }

  private static Attributes attributes(Run run) {
    Run.Header header = run.header();
    AttributesBuilder attributes = Attributes.builder().put("tower.request_id", header.requestId().value())
        .put("tower.intent", header.subject().intent()).put("tower.intent_version", header.subject().version())
        .put("tower.mode", String.valueOf(header.subject().mode())).put("tower.actor", header.origin().actor().name())
        .put("tower.status", run.status().toString()).put("tower.result", String.valueOf(run.status().result()));
    if (run.lock() != null) {
      attributes.put("tower.lock_name", run.lock().name().value());
    }
    if (run.progress().failureStep() != null) {
      attributes.put("tower.failure_step", run.progress().failureStep());
    }
    return attributes.build();
  }

  private static Attributes attributes(StepRecord step, Run.Header header) {
    AttributesBuilder attributes = Attributes.builder().put("tower.request_id", header.requestId().value())
        .put("tower.intent", header.subject().intent()).put("tower.step", step.name())
        .put("tower.step_kind", step.kind().name().toLowerCase(Locale.ROOT))
        .put("tower.status", step.status().toString());
    if (step.exitCode() != null) {
      attributes.put("tower.exit_code", step.exitCode());
    }
    return attributes.build();
  }
}

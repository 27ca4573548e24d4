package fleet.tower.service.config.trace;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import fleet.tower.audit.AuditListener;
import fleet.tower.home.Home;
import fleet.tower.lock.Locks;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;

/** Configures the export of runs to a collector, if Spring's own property names one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(TraceConfiguration.ENDPOINT)
public class TraceConfiguration {
  static final String ENDPOINT = "management.opentelemetry.tracing.export.otlp.endpoint";

  /** Follows the caller's sampling decision; samples runs without a caller's trace at the configured rate. */
  @Bean
  Sampler sampler(@Value("${management.tracing.sampling.probability}") double probability) {
    return Sampler.parentBased(Sampler.traceIdRatioBased(probability));
  }

  /** Closing it sends what is still queued. */
  @Bean
  SdkTracerProvider tracerProvider(SpanExporter exporter, Resource resource, Sampler sampler) {
    return SdkTracerProvider.builder().setResource(resource).setSampler(sampler).setIdGenerator(new GivenIds())
        .addSpanProcessor(BatchSpanProcessor.builder(exporter).build()).build();
  }

  @Bean
  Home.Listener spansListener(SdkTracerProvider provider, Sampler sampler) {
    Spans spans = new Spans(provider.get("fleet.tower"), sampler);
    return new Home.Listener(AuditListener.NONE, Locks.Listener.NONE, spans, spans);
  }
}

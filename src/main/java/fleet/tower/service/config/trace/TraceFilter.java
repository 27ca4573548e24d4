package fleet.tower.service.config.trace;

import static java.util.Objects.requireNonNull;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Excludes Spring's auto-configuration of tracing by name, before its classes are loaded, unless a collector is
 * configured. Then it admits only the exporter: the observation of calls, logs and metrics is not used here.
 */
final class TraceFilter implements AutoConfigurationImportFilter, EnvironmentAware {
  private static final Set<String> PACKAGES = Set.of("org.springframework.boot.opentelemetry.",
      "org.springframework.boot.micrometer.tracing.");
  private static final Set<String> USED = Set.of(
      "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
      // Applies to imported configurations as well.
      "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.otlp.");

  private @Nullable Environment environment;

  @Override
  public void setEnvironment(Environment environment) {
    this.environment = environment;
  }

  @Override
  public boolean[] match(@Nullable String[] names, AutoConfigurationMetadata metadata) {
    boolean isOn = requireNonNull(environment).containsProperty(TraceConfiguration.ENDPOINT);
    boolean[] matches = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      String name = names[i];
      // A null name was excluded by another filter.
      matches[i] = name == null || PACKAGES.stream().noneMatch(name::startsWith)
          || (isOn && USED.stream().anyMatch(name::startsWith));
    }
    return matches;
  }
}

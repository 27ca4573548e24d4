package fleet.tower.service.config.metrics;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.home.Home;
import io.micrometer.core.instrument.MeterRegistry;

/** Configures the metrics at {@code /actuator/prometheus} and the listeners that feed them. */
@Configuration(proxyBeanMethods = false)
@Import({Gauges.class, MailboxMetrics.class, ShareMetrics.class})
public class MetricsConfiguration {

  @Bean
  Home.Listener listener(MeterRegistry registry) {
    return new Measures(registry).listener();
  }
}

package fleet.tower.mcp;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the fixtures of the conformance suite to a service. */
@Configuration(proxyBeanMethods = false)
class FixtureConfiguration {
  @Bean
  static BeanPostProcessor fixtures() {
    return new BeanPostProcessor() {};
  }
}

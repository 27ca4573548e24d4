package fleet.tower.mcp;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import fleet.tower.home.Home;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.wire.Feature;

/** Adds the fixtures of the conformance suite to a service. */
@Configuration(proxyBeanMethods = false)
class FixtureConfiguration {
  @Bean
  ToolBox fixtureTools(Home home) {
    return new FixtureTools(home.root());
  }

  @Bean
  static BeanPostProcessor fixtureFeatures() {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof Feature feature ? new FixtureFeature(feature) : bean;
      }
    };
  }
}

package fleet.tower.service.console;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import fleet.tower.home.Release;

/** Configures the console. */
@Configuration(proxyBeanMethods = false)
@Import(ConsoleController.class)
public class ConsoleConfiguration {

  @Bean
  ConsoleSettings consoleSettings(Environment environment) {
    return ConsoleSettings.of(environment, Release.version());
  }
}

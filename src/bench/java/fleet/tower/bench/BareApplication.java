package fleet.tower.bench;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The smallest Spring Boot service with the same libraries except those for tokens and traces: one controller, and
 * health.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class BareApplication {

  /** Starts it. */
  public static void main(String[] arguments) {
    SpringApplication.run(BareApplication.class, arguments);
  }

  @GetMapping("/hello")
  String hello() {
    return "hello";
  }
}

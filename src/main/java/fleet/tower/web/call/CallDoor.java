package fleet.tower.web.call;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Puts in what the calls of several doors need. */
@Configuration(proxyBeanMethods = false)
@Import(Endings.class)
public class CallDoor {

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> connectionValve() {
    return factory -> factory.addContextValves(new ConnectionValve());
  }
}

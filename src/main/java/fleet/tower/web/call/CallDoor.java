package fleet.tower.web.call;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.handler.MappedInterceptor;

import fleet.tower.access.Access;
import fleet.tower.time.Scheduler;

/** Puts in what the calls of several doors need. */
@Configuration(proxyBeanMethods = false)
public class CallDoor {

  @Bean
  Endings endings(@Value("${tower.calls.max-waiting}") int maxWaiting) {
    return new Endings(maxWaiting);
  }

  @Bean
  static MappedInterceptor streamBound(Endings endings) {
    return new MappedInterceptor(null, null, new StreamBound(endings));
  }

  @Bean
  CredentialWatch credentialWatch(Access access, Endings endings, Scheduler scheduler) {
    return new CredentialWatch(access, endings, scheduler);
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> connectionValve() {
    return factory -> factory.addContextValves(new ConnectionValve());
  }
}

package fleet.tower.web.access;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.handler.MappedInterceptor;

import fleet.tower.access.Access;
import fleet.tower.audit.AuditLog;
import fleet.tower.time.TimeSource;
import fleet.tower.web.connection.Connections;

/** Puts in front of all calls who lets them in. */
@Configuration(proxyBeanMethods = false)
public class AccessDoor {

  @Bean
  FilterRegistrationBean<AccessFilter> accessFilter(Access access, AuditLog audit, TimeSource time,
      Connections connections) {
    FilterRegistrationBean<AccessFilter> filter = new FilterRegistrationBean<>(
        new AccessFilter(access, new Refusals(audit, time), new BadTokens(time), connections));
    filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return filter;
  }

  /** A port of its own would be a door without a lock: what is put in front of the calls is not in front of that. */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> securityHeaders(Environment environment) {
    if (environment.containsProperty("management.server.port")) {
      throw new IllegalStateException("management.server.port cannot be set: nobody would ask for a token there;"
          + " /actuator is at the port of the service");
    }
    return factory -> factory.addEngineValves(new SecurityHeaders());
  }

  /** For every mapping of paths that there is, also those of libraries. */
  @Bean
  static MappedInterceptor roleGate() {
    return new MappedInterceptor(null, null, new RoleGate());
  }
}

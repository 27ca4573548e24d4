package fleet.tower.service.web.access;

import java.util.List;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.web.connection.Connections;

/** Configures authentication and authorization of all calls. */
@Configuration(proxyBeanMethods = false)
public class AccessConfiguration {
  private static final String FORWARDED = "server.forward-headers-strategy";

  @Bean
  DeniedAccess deniedAccess(AuditLog audit, TimeSource time, Scheduler scheduler) {
    return new DeniedAccess(audit, time, scheduler);
  }

  @Bean
  FilterRegistrationBean<AccessFilter> accessFilter(Access access, DeniedAccess denied, TimeSource time,
      Connections connections) {
    FilterRegistrationBean<AccessFilter> filter = new FilterRegistrationBean<>(
        new AccessFilter(access, denied, new BadTokens(time), connections));
    filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return filter;
  }

  /** Refuses a separate management port, which the access filter would not protect. */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> securityHeaders(Environment environment) {
    if (environment.containsProperty("management.server.port")) {
      throw new IllegalStateException("management.server.port cannot be set: that port would not require a token;"
          + " /actuator is on the service's own port");
    }
    if (!environment.getProperty(FORWARDED, "none").equalsIgnoreCase("none")) {
      throw new IllegalStateException(
          FORWARDED + " cannot be set: any client could choose the address that the audit log"
              + " records; list your proxies in tower.http.trusted-proxies");
    }
    List<String> proxies = Binder.get(environment)
        .bind("tower.http.trusted-proxies", Bindable.listOf(String.class)).orElseGet(List::of);
    return factory -> factory.addEngineValves(new TrustedProxies(proxies), new SecurityHeaders());
  }

  /** Applies to every handler mapping, including those of libraries. */
  @Bean
  static MappedInterceptor roleGate() {
    return new MappedInterceptor(null, null, new RoleGate());
  }
}

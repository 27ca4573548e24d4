package fleet.tower.web.access;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.handler.MappedInterceptor;

import fleet.tower.access.Access;
import fleet.tower.audit.AuditLog;
import fleet.tower.time.TimeSource;

/** Puts in front of all calls who lets them in. */
@Configuration(proxyBeanMethods = false)
public class AccessDoor {

  @Bean
  FilterRegistrationBean<AccessFilter> accessFilter(Access access, AuditLog audit, TimeSource time) {
    FilterRegistrationBean<AccessFilter> filter = new FilterRegistrationBean<>(
        new AccessFilter(access, new Refusals(audit, time), new BadTokens(time)));
    filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return filter;
  }

  /** For every mapping of paths that there is, also those of libraries. */
  @Bean
  static MappedInterceptor roleGate() {
    return new MappedInterceptor(null, null, new RoleGate());
  }
}

package fleet.tower.service.web.call;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.handler.MappedInterceptor;

import fleet.tower.access.Access;
import fleet.tower.access.Places;
import fleet.tower.home.Home;
import fleet.tower.home.Settings;
import fleet.tower.operation.FleetWaits;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.time.Scheduler;

/** Configures what several groups of calls share. */
@Configuration(proxyBeanMethods = false)
public class CallConfiguration {

  @Bean
  WaitingCalls endings(Home home, Scheduler scheduler) {
    WaitingCalls own = new WaitingCalls(Places.shared(Settings.CALLS_MAX_WAITING.of(home.settings()),
        Settings.CALLERS_MAX_SHARE.of(home.settings())));
    home.notifications().map(notifications -> new FleetWaits(own, notifications, new KernelRandom(), scheduler))
        .ifPresent(own::join);
    return own;
  }

  @Bean
  WaitShutdown waitsEnding(WaitingCalls endings) {
    return new WaitShutdown(endings);
  }

  @Bean
  static MappedInterceptor streamBound(WaitingCalls endings) {
    return new MappedInterceptor(null, null, new StreamBound(endings));
  }

  @Bean
  CredentialWatch credentialWatch(Access access, WaitingCalls endings, Scheduler scheduler) {
    return new CredentialWatch(access, endings, scheduler);
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> connectionValve() {
    return factory -> factory.addContextValves(new ConnectionValve());
  }
}

package fleet.tower.service.config;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.JwkSetUriJwtDecoderBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.security.oauth2.jwt.JwtDecoder;

import fleet.tower.access.Access;
import fleet.tower.access.oidc.OidcAccess;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.home.Home;
import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.home.HomeSettings;
import fleet.tower.home.RetentionSchedule;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.keepalive.RenewalLag;
import fleet.tower.lock.Freezes;
import fleet.tower.lock.Locks;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.LockHandlers;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.StepLogs;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.config.api.ApiConfiguration;
import fleet.tower.service.config.health.HealthConfiguration;
import fleet.tower.service.config.metrics.MetricsConfiguration;
import fleet.tower.service.config.trace.TraceConfiguration;
import fleet.tower.service.console.ConsoleConfiguration;
import fleet.tower.service.mcp.http.McpConfiguration;
import fleet.tower.service.web.WebConfiguration;
import fleet.tower.task.Tasks;

/** The Spring application: the home, opened once, and the HTTP interface to it. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = "org.springframework.boot.security.oauth2.server.resource.autoconfigure.web."
    + "OAuth2ResourceServerWebSecurityAutoConfiguration")
@EnableConfigurationProperties(TowerProperties.class)
@Import({TimeSpanConverter.class, WebConfiguration.class, ConsoleConfiguration.class, McpConfiguration.class,
    ApiConfiguration.class,
    EngineLife.class, HeartbeatTick.class,
    HealthConfiguration.class,
    MetricsConfiguration.class, TraceConfiguration.class})
class TowerApplication {
  private static final String JWT = "spring.security.oauth2.resourceserver.jwt.";

  @Bean
  Home home(TowerProperties properties, HomeSettings settings, Console console,
      ObjectProvider<Home.Listener> witnesses, ObjectProvider<ServiceLog> logs) {
    Home.Listener all = witnesses.orderedStream().reduce(Home.Listener.NONE, Home.Listener::and);
    ServiceLog log = logs.getIfAvailable();
    Home home = new Home(Path.of(requireNonNull(properties.home())), settings,
        warning -> console.words("tower: warning: " + warning),
        log == null ? all : all.and(log.listener(all.tracing())));
    home.observeOutages(new OutageText(console));
    return home;
  }

  @Bean
  Access access(Home home, Console console, ObjectProvider<JwtDecoder> decoders, TowerProperties properties,
      Environment environment) {
    Access access = home.access().open(news -> console.data("tower: " + news));
    JwtDecoder decoder = decoders.getIfAvailable();
    if (decoder == null) {
      return access;
    }
    if (environment.getProperty(JWT + "audiences", environment.getProperty(JWT + "audiences[0]", "")).isEmpty()) {
      console.words("tower: warning: " + JWT + "audiences is not set, so tokens issued for other applications are"
          + " accepted too, if they contain one of our roles");
    }
    TowerProperties.Oidc oidc = properties.oidc();
    return new OidcAccess(decoder, environment.getProperty(JWT + "principal-claim-name", "sub"), oidc.rolesClaim(),
        oidc.rolePrefix(), home.time()).beside(access);
  }

  @Bean
  JwkSetUriJwtDecoderBuilderCustomizer boundedIssuer(Home home) {
    return builder -> OidcAccess.bound(builder, home.time());
  }

  @Bean
  Locks locks(Home home) {
    return home.locks();
  }

  @Bean
  Freezes freezes(Home home) {
    return home.freezes();
  }

  @Bean
  Tasks tasks(Home home) {
    return home.tasks();
  }

  @Bean
  Mailboxes mailboxes(Home home) {
    return home.mailboxes();
  }

  @Bean
  AuditLog auditLog(Home home) {
    return home.auditLog();
  }

  @Bean
  AuditTrail auditTrail(Home home) {
    return home.auditTrail();
  }

  /** {@link EngineLife} stops it in the right order; {@link HeartbeatTick} drives its heartbeats. */
  @Bean
  RunEngine engine(Home home) {
    return home.runs().tickingEngine(Member.Kind.SERVICE);
  }

  /** {@link EngineLife} starts and stops it. */
  @Bean(destroyMethod = "")
  QueueHandle queue(Home home, RunEngine engine) {
    return home.runs().queue(engine);
  }

  @Bean
  Hosts hosts(Home home, RunEngine engine) {
    return home.runs().hosts(engine);
  }

  @Bean
  QueuedRuns queuedRuns(QueueHandle queue) {
    return queue.runs();
  }

  @Bean
  Catalogue catalogue(RunEngine engine) {
    return engine.catalogue();
  }

  @Bean
  Runs runs(RunEngine engine) {
    return engine.runs();
  }

  @Bean
  StepLogs logs(RunEngine engine) {
    return engine.logs();
  }

  @Bean
  RenewalLag punctuality(RunEngine engine) {
    return engine.heartbeats().lag();
  }

  /** {@link EngineLife} starts and stops it. */
  @Bean
  RetentionSchedule sweeper(Home home, RunEngine engine, Console console) {
    return new RetentionSchedule(home.upkeep().retention(engine.store(), home.upkeep().limits()), home.scheduler(),
        warning -> console.words("tower: warning: " + warning));
  }

  @Bean
  LockHandlers.Host host(Home home) {
    return LockHandlers.Host.of(home);
  }

  @Bean
  TimeSource timeSource(Home home) {
    return home.time();
  }

  @Bean
  Scheduler scheduler(Home home) {
    return home.scheduler();
  }
}

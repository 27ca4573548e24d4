package fleet.tower.service.web.connection;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import fleet.tower.home.HomeSettings;
import fleet.tower.home.Settings;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** Configures the supervision of connections. */
@Configuration(proxyBeanMethods = false)
public class ConnectionDoor {

  @Bean
  Connections connections(TimeSource time, Scheduler scheduler, HomeSettings settings) {
    return new Connections(time, scheduler, Settings.CALLS_TOKEN_TIMEOUT.of(settings));
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> connectionsProtocol(Connections connections) {
    return factory -> {
      factory.setProtocol(ConnectionsProtocol.class.getName());
      factory.addConnectorCustomizers(connector -> {
        if (connector.getProtocolHandler() instanceof ConnectionsProtocol protocol) {
          protocol.reportTo(connections);
        }
      });
    };
  }
}

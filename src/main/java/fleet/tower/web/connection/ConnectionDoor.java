package fleet.tower.web.connection;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/** Watches the connections of the service. */
@Configuration(proxyBeanMethods = false)
public class ConnectionDoor {

  @Bean
  Connections connections(TimeSource time, Scheduler scheduler, @Value("${tower.calls.token-timeout}") Duration limit) {
    return new Connections(time, scheduler, limit);
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

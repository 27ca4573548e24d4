package fleet.tower.service.mcp.http;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import fleet.tower.service.mcp.McpServer;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Protocol;

/** Configures the Model Context Protocol over HTTP; needs its features as beans. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "tower.mcp.enabled", matchIfMissing = true)
@Import({McpController.class, MetadataController.class})
public class McpConfiguration {

  @Bean
  Protocol protocol(ObjectProvider<Feature> features) {
    return McpServer.of(features.orderedStream().toList(), "");
  }

  @Bean
  static Addresses addresses(Environment environment) {
    return new Addresses(environment.getProperty("tower.mcp.resource"),
        list(environment, "tower.mcp.allowed-hosts"), list(environment, "tower.mcp.allowed-origins"),
        environment.getProperty("server.address", "127.0.0.1"));
  }

  private static List<String> list(Environment environment, String key) {
    return Binder.get(environment).bind(key, Bindable.listOf(String.class)).orElseGet(List::of);
  }

  @Bean
  Issuer issuer(Environment environment) {
    return Issuer.of(environment);
  }

  @Bean
  static WebServerFactoryCustomizer<TomcatServletWebServerFactory> hostValve(Addresses addresses) {
    return factory -> factory.addContextValves(new HostValve(addresses));
  }
}

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

import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.operation.Operations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.service.mcp.McpCalls;
import fleet.tower.service.mcp.McpFeatures;
import fleet.tower.service.mcp.McpServer;
import fleet.tower.service.mcp.RefusedRequests;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Protocol;
import fleet.tower.service.web.access.DeniedAccess;

/** Configures the Model Context Protocol over HTTP; needs the home and its calls as beans. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "tower.mcp.enabled", matchIfMissing = true)
@Import({McpController.class, MetadataController.class})
public class McpConfiguration {

  @Bean
  McpFeatures mcpFeatures(Home home, RunEngine engine, Operations operations, WaitingCalls waits) {
    return new McpFeatures(home, engine, new McpCalls(operations, waits), null);
  }

  @Bean
  Feature mcpTools(McpFeatures features, ObjectProvider<ToolBox> more) {
    return features.tools(more.orderedStream().toList());
  }

  @Bean
  Feature mcpTasks(McpFeatures features) {
    return features.tasks();
  }

  @Bean
  Feature mcpResources(McpFeatures features) {
    return features.resources();
  }

  @Bean
  Feature mcpSubscriptions(McpFeatures features) {
    return features.subscriptions();
  }

  @Bean
  Feature mcpPrompts(McpFeatures features) {
    return features.prompts();
  }

  @Bean
  Protocol protocol(ObjectProvider<Feature> features) {
    return McpServer.of(features.orderedStream().toList());
  }

  @Bean
  RefusedRequests refusedRequests(RunEngine engine) {
    return new RefusedRequests(engine.catalogue());
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
  static WebServerFactoryCustomizer<TomcatServletWebServerFactory> hostValve(Addresses addresses,
      ObjectProvider<DeniedAccess> denied) {
    return factory -> factory.addContextValves(new HostValve(addresses, denied::getObject));
  }
}

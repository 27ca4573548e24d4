package fleet.tower.service.mcp.http;

import java.util.Map;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.platform.wait.WakeUp;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Revision;

/** A subscription that waits for its end. */
@Configuration(proxyBeanMethods = false)
public class TestListen {
  static final String SOURCE = "--spring.main.sources=" + TestListen.class.getName();

  @Bean
  Feature listening() {
    return new Listening();
  }

  private static final class Listening implements Feature {
    @Override
    public JsonWriter capabilities(Revision revision) {
      return JsonWriter.line();
    }

    @Override
    public Map<String, Method> methods(Revision revision) {
      return Map.of("subscriptions/listen", Listening::listen);
    }

    private static JsonWriter listen(Exchange exchange) {
      exchange.send("notifications/subscriptions/acknowledged", JsonWriter.line());
      WakeUp end = new WakeUp();
      try (Cancellation.Registration _ = exchange.cancellation().on(end::signal)) {
        end.await();
      }
      return JsonWriter.line();
    }
  }
}

package fleet.tower.service.mcp.http;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.WakeUp;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Revision;

/** Methods for tests; as the only source of a setting {@code spring.main.sources}, it adds them to a service. */
@Configuration(proxyBeanMethods = false)
public class TestFeature {
  static final String SOURCE = "--spring.main.sources=" + TestFeature.class.getName();

  @Bean
  Methods testMethods() {
    return new Methods();
  }

  /** The methods, and how many calls of {@code test/wait} wait or have been cancelled. */
  static final class Methods implements Feature {
    final AtomicInteger waiting = new AtomicInteger();
    final AtomicInteger cancelled = new AtomicInteger();

    @Override
    public JsonWriter capabilities(Revision revision) {
      return JsonWriter.line().put("experimental", JsonWriter.line());
    }

    @Override
    public Map<String, Method> methods(Revision revision) {
      return Map.of("test/me", Methods::me, "test/notify", Methods::notify, "test/wait", this::await, "test/forbid",
          Methods::forbid);
    }

    private static JsonWriter me(Exchange exchange) {
      return JsonWriter.line().put("name", exchange.caller().name()).put("door", exchange.caller().door().toString());
    }

    private static JsonWriter notify(Exchange exchange) {
      exchange.send("notifications/test", JsonWriter.line().put("n", 1));
      exchange.send("notifications/test", JsonWriter.line().raw("n", "\n2"));
      return JsonWriter.line().put("sent", 2);
    }

    /** Sends a notification if asked to, and waits until the exchange is cancelled. */
    private JsonWriter await(Exchange exchange) {
      if (exchange.request().params().text("send").isPresent()) {
        exchange.send("notifications/test", JsonWriter.line().put("n", 1));
      }
      WakeUp end = new WakeUp();
      try (Cancellation.Registration _ = exchange.cancellation().on(end::signal)) {
        waiting.incrementAndGet();
        end.await();
      }
      waiting.decrementAndGet();
      cancelled.incrementAndGet();
      return JsonWriter.line().put("secret", "result");
    }

    private static JsonWriter forbid(Exchange exchange) {
      throw new Forbidden(Forbidden.Reason.ROLE_TOO_LOW, "'" + exchange.caller().name() + "' may not look",
          Role.OPERATOR);
    }
  }
}

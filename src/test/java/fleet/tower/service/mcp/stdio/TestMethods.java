package fleet.tower.service.mcp.stdio;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import fleet.tower.home.RunEngine;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Revision;

/** Methods that answer at once, never by themselves, and at the end of a run. */
record TestMethods(RunEngine engine) implements Feature {
  @Override
  public JsonWriter capabilities(Revision revision) {
    return JsonWriter.line().put("tools", JsonWriter.line());
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    return Map.of("test/echo", TestMethods::echo, "test/wait", TestMethods::await, "test/run", this::run);
  }

  private static JsonWriter echo(Exchange exchange) {
    return JsonWriter.line().put("echo", exchange.request().params().text("text").orElse(""));
  }

  private static JsonWriter await(Exchange exchange) {
    CountDownLatch isCancelled = new CountDownLatch(1);
    try (var _ = exchange.cancellation().on(isCancelled::countDown)) {
      exchange.send("notifications/test", JsonWriter.line().put("waits", true));
      isCancelled.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.send("notifications/test", JsonWriter.line().put("waits", false));
    return JsonWriter.line().put("ended", true);
  }

  private JsonWriter run(Exchange exchange) {
    var params = exchange.request().params();
    RunRequest request = new RunRequest(params.text("intent").orElseThrow(), Map.of(),
        new RequestId(params.text("request_id").orElseThrow()), null,
        new Run.Origin(exchange.caller().actor(), "{}", null),
        new LockTerms(false, Duration.ofSeconds(params.integer("wait_seconds").orElse(0))), null, null);
    return switch (engine.runs().submit(request)) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean _) -> {
        try (var _ = exchange.cancellation().on(handle::wake)) {
          long seen = handle.version();
          while (!handle.run().status().isFinished() && !exchange.cancellation().isCancelled()) {
            handle.awaitChange(seen);
            seen = handle.version();
          }
        }
        yield JsonWriter.line().put("status", handle.run().status().toString());
      }
      case SubmitOutcome.Refusal rejected -> JsonWriter.line().put("refused", rejected.getClass().getSimpleName());
    };
  }
}

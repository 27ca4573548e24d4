package fleet.tower.service.mcp.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.service.web.TestRunService;

@DisplayName("subscriptions/listen over HTTP")
class SubscriptionCallsTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";
  private static final String ID = "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7}";

  @Test
  @DisplayName("The stream acknowledges, reports the end of a run and the release of its lock, and ends with a result "
      + "when the service stops")
  void stream(@TempDir Path home) throws Exception {
    List<String> events = new CopyOnWriteArrayList<>();
    CompletableFuture<Void> end;
    try (TestRunService bench = new TestRunService(home)) {
      var run = bench.begin("prod", "r1");
      end = listen(bench, "\"resourceSubscriptions\":[\"tower://runs/r1\",\"tower://locks/prod\"]", events);
      Await.until("the acknowledgement", () -> !events.isEmpty());
      bench.letGo("prod");
      run.join();
      Await.until("both notifications", () -> events.stream().anyMatch(it -> it.contains("tower://runs/r1\"}"))
          && events.stream().anyMatch(it -> it.contains("tower://locks/prod\"}")));
    }
    end.join();
    assertThat(events.getFirst()).isEqualTo("data: {\"jsonrpc\":\"2.0\","
        + "\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{" + ID + ",\"notifications\":{"
        + "\"resourceSubscriptions\":[\"tower://runs/r1\",\"tower://locks/prod\"]}}}");
    assertThat(events).contains("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
        + "\"params\":{" + ID + ",\"uri\":\"tower://locks/prod\"}}");
    assertThat(events.getLast()).isEqualTo("data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{"
        + "\"resultType\":\"complete\"," + ID + "}}");
  }

  /** Listens, and keeps the data of events until the stream ends. */
  private static CompletableFuture<Void> listen(TestRunService bench, String filter, List<String> events)
      throws IOException, InterruptedException {
    var response = bench.service.client().send(bench.service.request("/mcp")
        .header("Authorization", "Bearer " + bench.service.token())
        .headers("Content-Type", "application/json", "Accept", "application/json, text/event-stream",
            "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
        .POST(BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"subscriptions/listen\",\"params\":{"
            + "\"notifications\":{" + filter + "}," + META + "}}"))
        .build(), BodyHandlers.ofLines());
    return CompletableFuture.runAsync(
        () -> response.body().filter(line -> line.startsWith("data: ")).forEach(events::add),
        task -> Thread.ofVirtual().start(task));
  }
}

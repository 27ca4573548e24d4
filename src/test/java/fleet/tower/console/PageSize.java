package fleet.tower.console;

import java.util.HashMap;
import java.util.Map;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;

/** What a page keeps, after the garbage was collected: nodes, listeners, and bytes of the heap. */
record PageSize(long nodes, long listeners, long heap) {

  static PageSize of(Page page) {
    CDPSession session = page.context().newCDPSession(page);
    session.send("Performance.enable");
    session.send("HeapProfiler.collectGarbage");
    session.send("HeapProfiler.collectGarbage");
    Map<String, Long> metrics = new HashMap<>();
    for (JsonElement metric : session.send("Performance.getMetrics").getAsJsonArray("metrics")) {
      JsonObject object = metric.getAsJsonObject();
      metrics.put(object.get("name").getAsString(), object.get("value").getAsLong());
    }
    session.detach();
    return new PageSize(metrics.getOrDefault("Nodes", 0L), metrics.getOrDefault("JSEventListeners", 0L),
        metrics.getOrDefault("JSHeapUsedSize", 0L));
  }
}

package fleet.tower.service.mcp.resource;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

/** Listing and reading resources. A list has pages; the cursor is the address of the last resource of a page. */
public final class ResourcesFeature implements Feature {
  static final int PAGE = 100;
  private static final Duration LIST_FRESH = Duration.ofMinutes(1);

  private final List<ResourceSource> sources;

  public ResourcesFeature(List<ResourceSource> sources) {
    this.sources = List.copyOf(sources);
  }

  /** The older revision has no stream for changes here. */
  @Override
  public JsonWriter capabilities(Revision revision) {
    JsonWriter resources = switch (revision) {
      case V2025_11_25 -> JsonWriter.line();
      case V2026_07_28 -> JsonWriter.line().put("listChanged", true).put("subscribe", true);
    };
    return JsonWriter.line().put("resources", resources);
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    return Map.of("resources/list", this::list, "resources/templates/list", this::templates, "resources/read",
        this::read);
  }

  private JsonWriter list(Exchange exchange) {
    List<ResourceSource.Entry> all = sources.stream().flatMap(it -> it.list(exchange.caller()).stream()).toList();
    int from = begin(exchange.request().params(), all.stream().map(ResourceSource.Entry::uri).toList());
    List<ResourceSource.Entry> page = all.subList(from, Math.min(all.size(), from + PAGE));
    JsonWriter result = JsonWriter.line().list("resources", page.stream().map(it -> it.json().end()).toList());
    if (from + page.size() < all.size()) {
      result.put("nextCursor", page.getLast().uri());
    }
    return cacheable(result, exchange, LIST_FRESH);
  }

  /** The index of the first resource after the cursor. */
  private static int begin(JsonObject params, List<String> uris) {
    if (params.get("cursor") == null) {
      return 0;
    }
    return params.text("cursor").map(uris::indexOf).filter(index -> index >= 0).map(index -> index + 1)
        .orElseThrow(() -> ProtocolError.invalidParams("the cursor belongs to another list; list again without one"));
  }

  private JsonWriter templates(Exchange exchange) {
    if (exchange.request().params().get("cursor") != null) {
      throw ProtocolError.invalidParams("the list of templates has one page; list without a cursor");
    }
    return cacheable(JsonWriter.line().list("resourceTemplates",
        sources.stream().flatMap(it -> it.templates().stream()).map(JsonWriter::end).toList()), exchange, LIST_FRESH);
  }

  private JsonWriter read(Exchange exchange) {
    String uri = exchange.request().params().text("uri")
        .orElseThrow(() -> ProtocolError.invalidParams("'uri' is missing, or is not a string"));
    ResourceContents contents = sources.stream().flatMap(it -> it.read(uri, exchange).stream()).findFirst()
        .orElseThrow(() -> ResourceUri.invalid(uri,
            "there is no resource " + InvalidValue.shown(uri) + "; resources/list and resources/templates/list name"
                + " those that exist"));
    return cacheable(JsonWriter.line().list("contents",
        List.of(JsonWriter.line().put("uri", uri).members(contents.members()).end())), exchange, contents.fresh());
  }

  private static JsonWriter cacheable(JsonWriter result, Exchange exchange, Duration fresh) {
    return switch (exchange.request().revision()) {
      case V2025_11_25 -> result;
      case V2026_07_28 -> result.put("ttlMs", fresh.toMillis()).put("cacheScope", "private");
    };
  }
}

package fleet.tower.service.mcp.http;

import java.util.List;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;

/** The OAuth metadata of the endpoint (RFC 9728), which needs no token. */
@RestController
final class MetadataController {
  static final String PATH = "/.well-known/oauth-protected-resource";

  private final Addresses addresses;
  private final Issuer issuer;

  MetadataController(Addresses addresses, Issuer issuer) {
    this.addresses = addresses;
    this.issuer = issuer;
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = {PATH, PATH + McpController.PATH}, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> metadata(Query query, HttpServletRequest request) {
    query.allow();
    HostValve.requireChecked(request);
    JsonWriter json = JsonWriter.line()
        .put("resource", addresses.resource(request.isSecure(), HostValve.hostOf(request)))
        .list("authorization_servers", quoted(issuer.urls()))
        .list("bearer_methods_supported", quoted(List.of("header")));
    if (!issuer.scopes().isEmpty()) {
      json.list("scopes_supported", quoted(issuer.scopes()));
    }
    json.put("resource_name", "Tower Executor");
    return Json.ok(issuer.urls().isEmpty()
        ? json.put("tower_token", "tokens come from `tower token create NAME --role agent` on the service's host")
        : json);
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).toList();
  }
}

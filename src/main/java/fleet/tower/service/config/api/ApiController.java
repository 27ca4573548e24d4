package fleet.tower.service.config.api;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import fleet.tower.platform.yaml.Node;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Query;

/** The OpenAPI document of this service; put together when somebody asks for it first, because most services are never asked. */
@RestController
@RequestMapping("/v3")
final class ApiController {
  private static final String YAML = "application/yaml";

  private final AtomicReference<@Nullable Texts> texts = new AtomicReference<>();

  /** The document in its two forms. */
  private record Texts(String json, String yaml) {}

  @Needs(Role.VIEWER)
  @GetMapping(path = "/api-docs", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> json(Query query) {
    query.allow();
    return answer(MediaType.APPLICATION_JSON, texts().json());
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = "/api-docs.yaml", produces = YAML)
  ResponseEntity<byte[]> yaml(Query query) {
    query.allow();
    return answer(MediaType.parseMediaType(YAML), texts().yaml());
  }

  private Texts texts() {
    Texts made = texts.get();
    if (made == null) {
      Node document = ApiDocument.read();
      made = new Texts(NodeText.json(document), NodeText.yaml(document));
      texts.set(made);
    }
    return made;
  }

  private static ResponseEntity<byte[]> answer(MediaType type, String text) {
    return ResponseEntity.ok().contentType(type).body(text.getBytes(StandardCharsets.UTF_8));
  }
}

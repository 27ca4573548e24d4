package fleet.tower.service.config.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Query;
import tools.jackson.databind.json.JsonMapper;

/**
 * The OpenAPI document of this service, which is built into the program; as JSON it is converted on request, which is
 * rare.
 */
@RestController
@RequestMapping("/v3")
final class ApiController {
  private static final String YAML = "application/yaml";

  @Needs(Role.VIEWER)
  @GetMapping(path = "/api-docs", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> json(Query query) {
    query.allow();
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(json(document()));
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = "/api-docs.yaml", produces = YAML)
  ResponseEntity<byte[]> yaml(Query query) {
    query.allow();
    return ResponseEntity.ok().contentType(MediaType.parseMediaType(YAML)).body(document());
  }

  static byte[] json(byte[] yaml) {
    Object document = new Yaml(new SafeConstructor(new LoaderOptions())).load(new String(yaml, StandardCharsets.UTF_8));
    return new JsonMapper().writeValueAsBytes(document);
  }

  static byte[] document() {
    try (InputStream in = ApiController.class.getResourceAsStream("openapi.yaml")) {
      if (in == null) {
        throw new IllegalStateException("openapi.yaml is missing from the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package fleet.tower.service.console;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;

/** Serves the console. Its files are public, need no token and contain nothing of the home; its calls need a token. */
@RestController
final class ConsoleController {
  private static final String FOREVER = "public, max-age=31536000, immutable";
  private static final String ALWAYS_ASK = "no-cache";

  private final ConsolePages pages;
  private final ConsoleSettings settings;

  ConsoleController(ConsoleSettings settings) {
    this.pages = new ConsolePages();
    this.settings = settings;
  }

  @Needs(Role.VIEWER)
  @GetMapping({"/", "/console"})
  ResponseEntity<Void> start() {
    return ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/console/")).build();
  }

  /** Every page is the same file; an address that names none has status 404. */
  @Needs(Role.VIEWER)
  @GetMapping("/console/**")
  ResponseEntity<byte[]> file(HttpServletRequest request) {
    String path = request.getRequestURI();
    if (path.startsWith("/console/assets/")) {
      Optional<ConsolePages.File> asset = pages.asset(path);
      return asset.isPresent()
          ? answer(HttpStatus.OK, asset.get(), ConsolePages.type(path), FOREVER, request)
          : ResponseEntity.notFound().build();
    }
    return answer(ConsolePages.isPage(path) ? HttpStatus.OK : HttpStatus.NOT_FOUND, pages.page(),
        "text/html;charset=utf-8", ALWAYS_ASK, request);
  }

  /** How a browser gets a token from the issuer, if there is one. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/console/settings.json", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> settings(Query query) {
    query.allow();
    return Json.ok(settings.json());
  }

  private ResponseEntity<byte[]> answer(HttpStatus status, ConsolePages.File file, String type, String cached,
      HttpServletRequest request) {
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(status).contentType(MediaType.parseMediaType(type))
        .header("Cache-Control", cached).header("Vary", "Accept-Encoding")
        .header("Content-Security-Policy", settings.policy());
    return takesGzip(request)
        ? answer.header("Content-Encoding", "gzip").body(file.compressed())
        : answer.body(file.plain());
  }

  private static boolean takesGzip(HttpServletRequest request) {
    String accepted = request.getHeader("Accept-Encoding");
    return accepted != null
        && accepted.toLowerCase(Locale.ROOT).matches(".*\\bgzip\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$)).*");
  }
}

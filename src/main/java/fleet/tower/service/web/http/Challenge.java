package fleet.tower.service.web.http;

import java.util.Optional;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The header {@code WWW-Authenticate} of refusals. On a path with OAuth metadata it names them (RFC 9728). */
public final class Challenge {
  private static final String METADATA = Challenge.class.getName();

  private Challenge() {}

  /** Names the metadata in the refusals of a request. */
  public static void publish(ServletRequest request, String metadataUrl) {
    request.setAttribute(METADATA, metadataUrl);
  }

  /** The header of an answer with a status, if it has one. */
  static Optional<String> of(HttpServletRequest request, int status) {
    String metadata = request.getAttribute(METADATA) instanceof String url ? url : null;
    return switch (status) {
      case HttpServletResponse.SC_UNAUTHORIZED -> Optional.of(metadata == null
          ? "Bearer"
          : named(metadata, request.getHeader("Authorization") == null ? "" : ", error=\"invalid_token\""));
      case HttpServletResponse.SC_FORBIDDEN -> Optional.ofNullable(metadata)
          .map(url -> named(url, ", error=\"insufficient_scope\""));
      default -> Optional.empty();
    };
  }

  private static String named(String metadata, String error) {
    return "Bearer resource_metadata=\"" + metadata + "\"" + error;
  }
}

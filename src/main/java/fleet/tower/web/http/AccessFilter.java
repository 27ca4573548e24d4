package fleet.tower.web.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

import fleet.tower.access.Access;
import fleet.tower.access.Caller;
import fleet.tower.lease.InvalidValue;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Lets nobody in whose token is not known, except to ask whether the service lives. */
final class AccessFilter extends HttpFilter {
  private static final long serialVersionUID = 1;
  private static final String HEALTH = "/actuator/health";
  private static final Set<String> OPEN = Set.of(HEALTH, HEALTH + "/liveness", HEALTH + "/readiness");
  private static final String SCHEME = "bearer ";

  private final transient Access access;

  AccessFilter(Access access) {
    this.access = access;
  }

  /** Who makes this call. */
  static Caller callerOf(HttpServletRequest request) {
    if (request.getAttribute(Caller.class.getName()) instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException(request.getRequestURI() + " was reached without a caller");
  }

  @Override
  protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    // The path as it was sent, compared exactly: nothing that some layer would still decode or shorten gets past.
    if (OPEN.contains(request.getRequestURI())) {
      chain.doFilter(request, response);
      return;
    }
    Optional<Caller> caller = bearerToken(request).flatMap(access::callerWith);
    if (caller.isEmpty()) {
      ErrorPage.write(Problems.unauthorized(), response);
      return;
    }
    try {
      request.setAttribute(Caller.class.getName(), onBehalf(caller.get(), request.getHeader("X-Actor")));
    } catch (InvalidValue e) {
      ErrorPage.write(Problems.of(e), response);
      return;
    }
    chain.doFilter(request, response);
  }

  private static Caller onBehalf(Caller caller, @org.jspecify.annotations.Nullable String actor) {
    return actor == null ? caller : caller.onBehalfOf(decoded(actor));
  }

  /** A header comes as bytes; names beyond ASCII are sent in UTF-8. */
  private static String decoded(String header) {
    try {
      return StandardCharsets.UTF_8.newDecoder()
          .decode(ByteBuffer.wrap(header.getBytes(StandardCharsets.ISO_8859_1))).toString();
    } catch (CharacterCodingException latin) {
      return header;
    }
  }

  private static Optional<String> bearerToken(HttpServletRequest request) {
    return Optional.ofNullable(request.getHeader("Authorization"))
        .filter(header -> header.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
        .map(header -> header.substring(SCHEME.length()).strip());
  }
}

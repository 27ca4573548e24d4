package fleet.tower.service.web.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.lease.Door;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.service.web.connection.Connections;
import fleet.tower.service.web.http.HttpProblems;
import fleet.tower.service.web.http.ProblemDocument;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Admits only callers with a valid token, except to health checks, OAuth metadata and the pages of the console, and
 * audits every refusal, its own and those of later handlers.
 */
final class AccessFilter extends HttpFilter {
  private static final long serialVersionUID = 1;
  private static final String HEALTH = "/actuator/health";
  private static final String METADATA = "/.well-known/oauth-protected-resource";
  private static final Set<String> OPEN = Set.of(HEALTH, HEALTH + "/liveness", HEALTH + "/readiness",
      METADATA, METADATA + "/mcp");
  private static final String CONSOLE = "/console";
  /** What could lead from an address below the console to another one. */
  private static final List<String> TRICKS = List.of("//", "/.", ";", "\\", "%2e", "%2f", "%5c", "%3b");
  private static final Set<String> LOOKS = Set.of("GET", "HEAD");
  private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS");
  private static final String SCHEME = "bearer ";

  private final transient Access access;
  private final transient DeniedAccess refusals;
  private final transient BadTokens badTokens;
  private final transient Connections connections;

  AccessFilter(Access access, DeniedAccess refusals, BadTokens badTokens, Connections connections) {
    this.access = access;
    this.refusals = refusals;
    this.badTokens = badTokens;
    this.connections = connections;
  }

  /** Whether a call needs no token. Compares the raw path, so that no encoded variant gets past. */
  static boolean isOpen(HttpServletRequest request) {
    String path = request.getRequestURI();
    return OPEN.contains(path) || (LOOKS.contains(request.getMethod()) && isConsole(path));
  }

  /** The pages of the console are public: they contain nothing of the home. */
  private static boolean isConsole(String path) {
    String lower = path.toLowerCase(Locale.ROOT);
    return path.equals("/") || path.equals(CONSOLE)
        || (path.startsWith(CONSOLE + "/") && TRICKS.stream().noneMatch(lower::contains));
  }

  @Override
  protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    connections.called(request);
    if (!METHODS.contains(request.getMethod())) {
      response.setHeader("Allow", String.join(", ", METHODS.stream().sorted().toList()));
      ProblemDocument.write(HttpProblems.ofStatus(HttpStatus.METHOD_NOT_ALLOWED.value()), request, response);
      return;
    }
    if (isOpen(request)) {
      chain.doFilter(request, response);
      return;
    }
    String token = bearerToken(request);
    RecognitionOutcome recognition = token.isEmpty() ? RecognitionOutcome.missing() : recognised(token, request);
    connections.recognised(request, recognition instanceof RecognitionOutcome.Known);
    switch (recognition) {
      case RecognitionOutcome.Known(Caller caller) -> letIn(caller, request, response, chain);
      case RecognitionOutcome.Refused(var reason, var name, var detail) when reason == RecognitionOutcome.Reason.NO_ROLE -> {
        refusals.audit(request, name, reason.toString(), 0);
        ProblemDocument.write(CommonProblems.of(new Forbidden(Forbidden.Reason.NO_ROLE, detail, null)), request,
            response);
      }
      case RecognitionOutcome.Refused refused -> ProblemDocument.write(refuse(refused, request), request,
          response);
      case RecognitionOutcome.Undecided(String problem) -> ProblemDocument.write(
          Problem.of(ErrorCode.IDENTITY_UNAVAILABLE, problem,
              "try again later; tokens of tokens.yaml are still accepted").header("Retry-After", "5"),
          request, response);
    }
  }

  /** An external issuer is not queried for an address that sent too many bad tokens. */
  private RecognitionOutcome recognised(String token, HttpServletRequest request) {
    return badTokens.isFull(request.getRemoteAddr()) ? access.recogniseHere(token) : access.recognise(token);
  }

  private void letIn(Caller caller, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    request.setAttribute(Caller.class.getName(), caller);
    try {
      Caller known = onBehalf(caller, request.getHeader("X-Actor"));
      boolean isConsole = Door.CONSOLE.toString().equals(request.getHeader("X-Door"));
      request.setAttribute(Caller.class.getName(), isConsole ? known.through(Door.CONSOLE) : known);
    } catch (InvalidValue e) {
      ProblemDocument.write(CommonProblems.of(e), request, response);
      return;
    }
    chain.doFilter(request, response);
    if (request.getAttribute(Forbidden.class.getName()) instanceof Forbidden forbidden) {
      refusals.audit(request, caller.name(), forbidden.reason().toString(), 0);
    }
    if (request
        .getAttribute(RecognitionOutcome.Refused.class.getName()) instanceof RecognitionOutcome.Refused refused) {
      refusals.audit(request, caller.name(), refused.reason().toString(), 0);
    }
  }

  private Problem refuse(RecognitionOutcome.Refused refused, HttpServletRequest request) {
    BadTokens.Count count = badTokens.count(request.getRemoteAddr());
    if (count.isAudited()) {
      refusals.audit(request, refused.name(),
          count.isOver() ? ErrorCode.TOO_MANY_BAD_TOKENS.code() : refused.reason().toString(),
          count.omitted());
    }
    return count.isOver()
        ? Problem
            .of(ErrorCode.TOO_MANY_BAD_TOKENS,
                "more than " + BadTokens.MOST_A_MINUTE
                    + " calls without a valid token came from your address within a minute",
                "look for a program that uses an old token; a call with a valid token is accepted at once")
            .header("Retry-After", Long.toString(count.retryAfterSeconds()))
        : CommonProblems.unauthorized(refused.detail());
  }

  private static Caller onBehalf(Caller caller, @Nullable String actor) {
    return actor == null ? caller : caller.onBehalfOf(decoded(actor));
  }

  /** Header bytes are decoded as UTF-8. */
  private static String decoded(String header) {
    try {
      return StandardCharsets.UTF_8.newDecoder()
          .decode(ByteBuffer.wrap(header.getBytes(StandardCharsets.ISO_8859_1))).toString();
    } catch (CharacterCodingException latin) {
      return header;
    }
  }

  /** The token that was sent; empty if none. */
  private static String bearerToken(HttpServletRequest request) {
    String header = request.getHeader("Authorization");
    return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? header.substring(SCHEME.length()).strip()
        : "";
  }
}

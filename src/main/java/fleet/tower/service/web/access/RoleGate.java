package fleet.tower.service.web.access;

import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.HandlerFunction;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Compares the caller's role with the role that the call needs. It runs after the handler mapping, so it sees the very
 * handler that would be invoked, however the path was written. A handler without a declared role is refused to
 * everyone.
 */
final class RoleGate implements HandlerInterceptor {
  /** The actuator endpoints that may be read; the others reveal secrets or change something. */
  private static final Pattern LOOKS = Pattern.compile("/actuator(/(health|info|metrics|prometheus|sbom)(/.*)?)?");
  private static final Pattern OF_THE_SERVICE = Pattern.compile("/actuator(/.*)?");

  /** The role that a call needs; empty if none is declared. */
  static Optional<Role> needed(Object handler, String pattern) {
    if (LOOKS.matcher(pattern).matches()) {
      return Optional.of(Role.VIEWER);
    }
    if (OF_THE_SERVICE.matcher(pattern).matches()) {
      return Optional.of(Role.OPERATOR);
    }
    return handler instanceof HandlerMethod method
        ? Optional.ofNullable(method.getMethodAnnotation(Needs.class)).map(Needs::value)
        : Optional.empty();
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
    // The error page answers calls that were already checked; OPTIONS only lists the methods of a path.
    if (request.getDispatcherType() == DispatcherType.ERROR || request.getMethod().equals("OPTIONS")
        || AccessFilter.isOpen(request)) {
      return true;
    }
    if (handler instanceof HandlerFunction) {
      return true; // A route requires the role of its operation itself.
    }
    @Nullable
    Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    Role needed = needed(handler, String.valueOf(pattern)).orElseThrow(
        () -> new IllegalStateException("no role is declared for " + handler));
    if (!(request.getAttribute(Caller.class.getName()) instanceof Caller caller)) {
      throw new IllegalStateException(request.getRequestURI() + " was reached without a caller");
    }
    caller.require(needed, "call " + request.getMethod() + " " + pattern);
    return true;
  }
}

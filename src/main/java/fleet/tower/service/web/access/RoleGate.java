package fleet.tower.service.web.access;

import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.web.http.Needs;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Compares what a caller is with what the call needs. It stands behind the mapping of paths, and so sees the very call that would
 * be made, however its path was written. What nobody has said a role for is refused to everybody.
 */
final class RoleGate implements HandlerInterceptor {
  /** What may be looked at of the service itself; the rest of it tells secrets or changes something. */
  private static final Pattern LOOKS = Pattern.compile("/actuator(/(health|info|metrics|prometheus)(/.*)?)?");
  private static final Pattern OF_THE_SERVICE = Pattern.compile("/actuator(/.*)?");

  /** What a call needs; nothing where nobody has said so. */
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
    // The page of errors answers calls that were let in or refused before; OPTIONS only tells the methods of a path.
    if (request.getDispatcherType() == DispatcherType.ERROR || request.getMethod().equals("OPTIONS")
        || AccessFilter.isOpen(request)) {
      return true;
    }
    @Nullable
    Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    Role needed = needed(handler, String.valueOf(pattern)).orElseThrow(
        () -> new IllegalStateException("nobody has said who may call " + handler));
    if (!(request.getAttribute(Caller.class.getName()) instanceof Caller caller)) {
      throw new IllegalStateException(request.getRequestURI() + " was reached without a caller");
    }
    caller.require(needed, "call " + request.getMethod() + " " + pattern);
    return true;
  }
}

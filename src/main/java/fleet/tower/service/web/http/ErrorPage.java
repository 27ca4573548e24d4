package fleet.tower.service.web.http;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Errors of the servlet container, as problem documents. */
@RestController
final class ErrorPage implements ErrorController {

  @Needs(Role.VIEWER)
  @RequestMapping("${server.error.path:/error}")
  @Nullable
  ResponseEntity<byte[]> error(HttpServletRequest request, HttpServletResponse response) {
    // An answer that failed midway is truncated, and nothing follows it.
    if (response.isCommitted()) {
      return null;
    }
    return request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status
        ? Json.answer(HttpProblems.ofStatus(status))
        : Json.answer(HttpProblems.ofStatus(HttpServletResponse.SC_NOT_FOUND));
  }
}

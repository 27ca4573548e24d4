package fleet.tower.service.web.http;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Errors of the servlet container, as problem documents. */
@RestController
final class ErrorPage implements ErrorController {

  @Needs(Role.VIEWER)
  @RequestMapping("${server.error.path:/error}")
  ResponseEntity<byte[]> error(HttpServletRequest request) {
    return request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status
        ? Problems.ofStatus(status).answer()
        : Problems.ofStatus(HttpServletResponse.SC_NOT_FOUND).answer();
  }
}

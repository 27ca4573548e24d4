package fleet.tower.web.http;

import java.io.IOException;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** What the servlet container answers by itself, told as every other problem is. */
@RestController
final class ErrorPage implements ErrorController {

  @RequestMapping("${server.error.path:/error}")
  ResponseEntity<byte[]> error(HttpServletRequest request) {
    return request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status
        ? Problems.ofStatus(status).answer()
        : Problems.ofStatus(HttpServletResponse.SC_NOT_FOUND).answer();
  }

  /** Writes a problem where no controller is reached. */
  static void write(Problem problem, HttpServletResponse response) throws IOException {
    byte[] body = Json.bytes(problem.body());
    response.setStatus(problem.status().value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    problem.headers().forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}

package fleet.tower.service.web.http;

import java.io.IOException;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.http11.Http11InputBuffer;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletResponse;

/** Tomcat's answers to requests too malformed to reach the application, as problem documents instead of HTML. */
final class ErrorValve extends ErrorReportValve {
  private static final int REQUEST_HEADER_FIELDS_TOO_LARGE = 431;
  /** Tomcat answers 400 for oversized headers too, and distinguishes them only in the message. */
  private static final String TOO_LONG = StringManager.getManager(Http11InputBuffer.class)
      .getString("iib.requestheadertoolarge.error");

  @Override
  protected void report(Request request, Response response, @Nullable Throwable thrown) {
    int status = status(request, response);
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    try {
      ProblemDocument.write(HttpProblems.ofStatus(status), request.getRequest(), response.getResponse());
      response.finishResponse();
    } catch (IOException | IllegalStateException tooLate) {
      container.getLogger().debug("an answer could not be sent", tooLate);
    }
  }

  private static int status(Request request, Response response) {
    int status = response.getStatus();
    return status == HttpServletResponse.SC_BAD_REQUEST
        && request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof IllegalArgumentException e
        && TOO_LONG.equals(e.getMessage()) ? REQUEST_HEADER_FIELDS_TOO_LARGE : status;
  }
}

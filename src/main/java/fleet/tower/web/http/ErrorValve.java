package fleet.tower.web.http;

import java.io.IOException;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/** What Tomcat answers to a request that is too broken to reach any application; its own would be a page of HTML. */
final class ErrorValve extends ErrorReportValve {

  @Override
  protected void report(Request request, Response response, @Nullable Throwable thrown) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    try {
      Problems.ofStatus(status).write(response.getResponse());
      response.finishResponse();
    } catch (IOException | IllegalStateException tooLate) {
      container.getLogger().debug("an answer could not be sent", tooLate);
    }
  }
}

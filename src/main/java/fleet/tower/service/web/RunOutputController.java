package fleet.tower.service.web;

import java.io.IOException;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Rejected;
import fleet.tower.operation.TokenRevoked;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.run.OutputDownload;
import fleet.tower.service.call.run.RunOutputCalls;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Maps the paths of the output of runs to their calls. */
@RestController
@RequestMapping("/runs/{id}/output")
final class RunOutputController {
  private static final String TEXT = "text/plain;charset=UTF-8";

  private final RunOutputCalls calls;
  private final WaitingCalls endings;

  RunOutputController(RunOutputCalls calls, WaitingCalls endings) {
    this.calls = calls;
    this.endings = endings;
  }

  @Needs(Role.VIEWER)
  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> window(@PathVariable("id") String id, Query query) {
    query.allow("step", "offset", "before", "lines");
    return Json.answer(calls.window(id, query.text("step").orElse(null),
        new RunOutputCalls.WindowCall(query.positionFromEitherEnd("offset").orElse(null),
            query.position("before").orElse(null),
            query.integer("lines", 1, RunOutputCalls.MAX_LINES).orElse(RunOutputCalls.DEFAULT_LINES))));
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = "/search", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> search(@PathVariable("id") String id, Query query) {
    query.allow("step", "q", "case", "offset", "limit");
    return Json.answer(calls.search(id, query.text("step").orElse(null),
        new RunOutputCalls.SearchCall(query.required("q"), query.flag("case"), query.position("offset").orElse(0L),
            query.integer("limit", 1, RunOutputCalls.MAX_MATCHES).orElse(RunOutputCalls.DEFAULT_MATCHES))));
  }

  /** Takes a place among the waiting calls, because a slow client can hold its connection for long. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/download", produces = TEXT)
  void download(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest request,
      HttpServletResponse response) throws IOException {
    query.allow("step");
    try (var _ = endings.enter(caller)) {
      OutputDownload download = calls.download(id, query.text("step").orElse(null));
      response.setContentType(TEXT);
      response.setContentLengthLong(download.length());
      response.setHeader("Content-Disposition", "attachment; filename=\"" + download.fileName() + "\"");
      if (request.getMethod().equals("GET")) {
        response.flushBuffer();
        download.writeTo(response.getOutputStream(), () -> requireMore(caller));
      }
    }
  }

  private void requireMore(Caller caller) {
    if (!caller.credential().isValid()) {
      throw new TokenRevoked();
    }
    if (endings.isClosing()) {
      throw new Rejected(CommonProblems.closing("the download is cut off"));
    }
  }
}

package fleet.tower.service.web;

import java.io.IOException;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.RefusedCall;
import fleet.tower.answer.RunAnswers;
import fleet.tower.operation.OutputDownload;
import fleet.tower.operation.RunHandlers;
import fleet.tower.operation.TokenRevoked;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The call that downloads the output of a run. */
@RestController
final class RunOutputController {
  private static final String TEXT = "text/plain;charset=UTF-8";

  private final Runs runs;
  private final StepLogs logs;
  private final WaitingCalls endings;

  RunOutputController(Runs runs, StepLogs logs, WaitingCalls endings) {
    this.runs = runs;
    this.logs = logs;
    this.endings = endings;
  }

  /** Takes a place among the waiting calls, because a slow client can hold its connection for long. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/runs/{id}/output/download", produces = TEXT)
  void download(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest request,
      HttpServletResponse response) throws IOException {
    query.allow("step");
    try (var _ = endings.enter(caller)) {
      Run run = RunEvents.find(id, runs).run();
      String step = query.text("step").orElse(null);
      OutputDownload download = RunHandlers.download(run, step, logs)
          .orElseThrow(() -> new RefusedCall(RunAnswers.noStep(String.valueOf(step), RunHandlers.outputs(run))));
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
      throw new RefusedCall(CommonProblems.closing("the download is cut off"));
    }
  }
}

package fleet.tower.service.web;

import java.io.IOException;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.overview.OverviewCalls;
import fleet.tower.service.call.overview.OverviewReader;
import fleet.tower.service.web.http.EventStream;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The overview and its changes as a stream of events. */
@RestController
final class OverviewStream {
  private final OverviewCalls calls;
  private final TimeSource time;

  OverviewStream(OverviewCalls calls, TimeSource time) {
    this.calls = calls;
    this.time = time;
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = "/overview/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void stream(Query query, Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    query.allow();
    EventStream stream = new EventStream(response, caller, time);
    if (request.getMethod().equals("GET")) {
      calls.follow(caller, new Listener(stream));
    }
  }

  /** A client that follows the overview. */
  private record Listener(EventStream stream) implements OverviewReader {
    @Override
    public boolean wantsMore() {
      return stream.isHeard();
    }

    @Override
    public void event(String name, String json) {
      stream.event(null, name, json);
    }
  }
}

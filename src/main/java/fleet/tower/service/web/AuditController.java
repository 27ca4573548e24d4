package fleet.tower.service.web;

import java.io.IOException;
import java.util.Optional;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.EventNames;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.EventStream;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The call that follows the audit log. */
@RestController
final class AuditController {
  private final AuditTrail trail;
  private final TimeSource time;
  private final WaitingCalls endings;

  AuditController(AuditTrail trail, TimeSource time, WaitingCalls endings) {
    this.trail = trail;
    this.time = time;
    this.endings = endings;
  }

  /** New events as they arrive; first those since a given time, or those after the last event seen. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/audit/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void stream(Query query, Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    query.allow("since", "event", "lock_name", "request_id", "last_event_id", "local");
    AuditTrail trail = trail(query);
    AuditTrail.Query asked = asked(query);
    String seen = Optional.ofNullable(request.getHeader("Last-Event-ID")).or(() -> query.text("last_event_id"))
        .orElse(null);
    EventStream stream = new EventStream(response, caller, time);
    if (request.getMethod().equals("GET")) {
      trail.follow(asked, seen, new Listener(stream));
    }
  }

  /** The trail of the fleet, or of this host only. */
  private AuditTrail trail(Query query) {
    return query.flag("local") ? trail.ofThisHost() : trail;
  }

  private static AuditTrail.Query asked(Query query) {
    return new AuditTrail.Query(query.moment("since").orElse(null), query.text("lock_name").orElse(null),
        query.text("request_id").orElse(null), query.text("event").map(EventNames::known).orElse(null),
        null);
  }

  /** A client that follows the log. */
  private final class Listener implements AuditTrail.Reader {
    private final EventStream stream;

    Listener(EventStream stream) {
      this.stream = stream;
    }

    @Override
    public void begin(String place) {
      stream.begin(place);
    }

    @Override
    public boolean take(AuditTrail.Entry entry, String place) {
      stream.event(place, entry.line());
      return wantsMore();
    }

    @Override
    public boolean wantsMore() {
      return stream.isHeard() && !endings.isClosing();
    }
  }
}

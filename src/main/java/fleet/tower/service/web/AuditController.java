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
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.EventStream;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Calls that read and follow the audit log. */
@RestController
final class AuditController {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;

  private final AuditTrail trail;
  private final TimeSource time;
  private final WaitingCalls endings;

  AuditController(AuditTrail trail, TimeSource time, WaitingCalls endings) {
    this.trail = trail;
    this.time = time;
    this.endings = endings;
  }

  /** The newest matching events, or those of a later page, oldest first. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/audit", produces = MediaType.APPLICATION_JSON_VALUE)
  void read(Query query, HttpServletResponse response) throws IOException {
    query.allow("since", "until", "event", "lock_name", "request_id", "limit", "local", Cursor.PARAMETER);
    AuditTrail.Query asked = asked(query);
    Page page = asked.page(query.flag("local"), query.integer("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT),
        query.cursor());
    Rows<AuditTrail.Entry> rows = trail(query).page(asked, page, RowBudget.MAX_SIZE);
    Json.rows(response, "events", rows.as(AuditTrail.Entry::line));
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
        query.moment("until").orElse(null));
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

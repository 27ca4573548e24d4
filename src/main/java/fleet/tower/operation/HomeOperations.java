package fleet.tower.operation;

import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.Arg.Via.HTTP;
import static fleet.tower.operation.Operation.Method.GET;

import java.time.Instant;
import java.util.List;

/** The operations on a home as a whole: its hosts, its audit log, and the caller's own rights. */
public final class HomeOperations {
  public static final Arg<Instant> SINCE = Arg.moment("since", "only events since then");
  public static final Arg<Instant> UNTIL = Arg.moment("until", "only events up to then");
  public static final Arg<String> EVENT = Arg.text("event", "E", "only events of this kind, such as lock_stolen");
  public static final Arg<String> OF_LOCK = Arg.text("lock_name", "N", "only events of this lock").option("name");
  public static final Arg<String> OF_REQUEST = Arg.text("request_id", "R", "only events of this request");
  public static final Arg<Long> LIMIT = Arg.whole("limit", 1, 10_000, "N", "the maximum number of events").or(100L);
  public static final Arg<Boolean> LOCAL = Arg.flag("local",
      "in a fleet, only this host's own files, not the log of all hosts");

  public static final Operation HOSTS = Operation.of("listHosts", VIEWER, GET, "/hosts",
      "list the hosts that share this home's database, with their runs and locks").command("hosts");
  public static final Operation AUDIT = Operation.of("readAudit", VIEWER, GET, "/audit",
      "print the audit log, one JSON event per line", SINCE, OF_LOCK, OF_REQUEST, EVENT, UNTIL, LOCAL, LIMIT.only(HTTP),
      CommonArgs.CURSOR.only(HTTP)).command("audit");
  public static final Operation OVERVIEW = Operation.of("getOverview", VIEWER, GET, "/overview",
      "show everything that is running, waiting, held or frozen");
  public static final Operation ME = Operation.of("getCaller", VIEWER, GET, "/me", "show who I am and what I may do");

  /** All of them. */
  public static final List<Operation> ALL = List.of(HOSTS, AUDIT, OVERVIEW, ME);

  private HomeOperations() {}
}

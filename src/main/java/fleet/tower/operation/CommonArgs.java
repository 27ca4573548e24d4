package fleet.tower.operation;

import java.util.Optional;

import fleet.tower.lock.FreezeRequest;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;

/** Arguments that several subjects have. */
public final class CommonArgs {
  private static final int MAX_ROWS = 10_000;
  /** The greatest length of a reason. */
  public static final int MAX_REASON = FreezeRequest.MAX_REASON;

  public static final Arg<String> REQUEST_ID = Arg.text("request_id", "R",
      "the id of this request, by which it can be repeated (default: a new one)");
  public static final Arg<String> REASON = Arg.text("reason", MAX_REASON, "TEXT", "why, for the audit log");
  public static final Arg<Long> LIMIT = Arg.whole("limit", 1, MAX_ROWS, "N", "the maximum number of rows");
  public static final Arg<String> CURSOR = Arg.text(Cursor.PARAMETER, "C",
      "the next page of a list, by the cursor that the previous page printed");

  /** A stream of events continues after this one; a list has other arguments. */
  public static final Arg<String> LAST_EVENT_ID = Arg.text("last_event_id", "ID",
      "the event after which a stream continues").only(Arg.Via.HTTP);

  private CommonArgs() {}

  /** The reason of a request, which has no hidden characters. */
  public static Optional<String> reason(Given given) {
    given.find(REASON).ifPresent(reason -> InvalidValue.requirePlainLines(REASON.name(), reason));
    return given.find(REASON);
  }

  /** The page of a list that a request asks for. */
  static Page page(String list, Given given) {
    return Page.of(list, given.find(LIMIT).orElse((long) MAX_ROWS).intValue(), given.orNull(CURSOR));
  }
}

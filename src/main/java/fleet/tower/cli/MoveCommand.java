package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.optionalDuration;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.home.move.HomeMove;
import fleet.tower.home.move.HomeMove.MoveOutcome;
import fleet.tower.home.move.MoveMark;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** {@code tower move}: moves a home from its files and SQLite into the PostgreSQL database of a fleet. */
final class MoveCommand {
  private static final String POSTGRES = "jdbc:postgresql:";
  private static final Duration USUAL_DRAIN = Duration.ofMinutes(10);

  private final Home home;
  private final Console console;

  MoveCommand(Home home, Console console) {
    this.home = home;
    this.console = console;
  }

  Command move() {
    return new Command("move", List.of(), "move this home's locks, runs, tasks and mailboxes to a fleet's database",
        List.of(value("to", "URL", "the database: jdbc:postgresql://HOST/NAME?user=…"),
            flag("dry-run", "only check, and print what would be moved"),
            optionalDuration("drain", "refuse new work, and wait for runs and holders to end (default 10m)"),
            flag("undo", "undo a move that was interrupted before its copy was committed")),
        this::move);
  }

  private Reply move(Arguments arguments) {
    String to = arguments.value("to").map(MoveCommand::checked).orElse(null);
    boolean isDry = arguments.has("dry-run");
    if (arguments.has("undo") && (isDry || arguments.has("drain"))) {
      throw new UsageError("--undo takes neither --dry-run nor --drain; omit them");
    }
    if (isDry && arguments.has("drain")) {
      throw new UsageError("--dry-run does not wait; omit --drain");
    }
    try (HomeMove move = home.upkeep().move(step -> console.words("tower: " + step.sentence()))) {
      if (arguments.has("undo")) {
        return reply(move.undo(to), to);
      }
      if (to == null) {
        throw new UsageError("--to is required: the URL of the fleet's database, " + POSTGRES + "//HOST/NAME");
      }
      return reply(isDry ? move.preview(to) : move.move(request(to, arguments)), to);
    }
  }

  private HomeMove.Request request(String to, Arguments arguments) {
    Duration drain = arguments.has("drain") ? arguments.duration("drain").orElse(USUAL_DRAIN) : Duration.ZERO;
    return new HomeMove.Request(to, () -> home.newRequestId().value(), drain,
        busy -> console.words("tower: waiting for " + String.join("; ", busy)));
  }

  private static String checked(String url) {
    if (!url.startsWith(POSTGRES)) {
      // Any other URL is not shown, because it may contain a password.
      throw new UsageError("--to must be the URL of a PostgreSQL database, " + POSTGRES + "//HOST/NAME"
          + (url.startsWith("postgres") ? ", starting with jdbc: and ending with ?user=…&password=…" : ""));
    }
    return url;
  }

  private static Reply reply(MoveOutcome outcome, @Nullable String to) {
    return switch (outcome) {
      case MoveOutcome.Moved(HomeMove.Report report) -> done(report, "moved ", false)
          .words("tower: set tower.database.url to this database in config/application.yaml of this home, which every"
              + " command and service reads, then restart the services");
      case MoveOutcome.Possible(HomeMove.Report report) -> done(report, "would move ", true);
      case MoveOutcome.Busy(List<String> reasons) -> listed(ErrorCode.HOME_IN_USE, "the home cannot be moved now",
          reasons, "wait until that has ended, or add --drain");
      case MoveOutcome.Clashing(List<String> clashes) -> listed(ErrorCode.MOVE_CLASHES,
          "the database already contains items with the same names", clashes,
          "rename or remove them on one side, or choose another database");
      case MoveOutcome.AlreadyMoved(MoveMark mark) -> Reply.failure(ErrorCode.HOME_MOVED, mark.message(),
          "it cannot be undone; work may have started there", mark(mark));
      case MoveOutcome.Begun(MoveMark mark) -> Reply.failure(ErrorCode.HOME_MOVED, mark.message(),
          to == null ? "--to is required here: the copy may be in that database" : "give the same --to", mark(mark));
      case MoveOutcome.InProgress() -> Reply.failure(ErrorCode.HOME_IN_USE,
          "another `tower move` of this home is running",
          "wait until it has ended");
      case MoveOutcome.Undone(MoveMark mark) -> Reply.of(Exit.DONE, mark(mark).put("undone", true))
          .words("tower: the move to " + mark.to() + " was undone; the home is used as before");
      case MoveOutcome.NothingToUndo() -> Reply.of(Exit.DONE, JsonWriter.line().put("undone", false))
          .words("tower: no move of this home has started");
    };
  }

  private static Reply done(HomeMove.Report report, String verb, boolean isDry) {
    JsonWriter numbers = JsonWriter.line();
    report.numbers().forEach(numbers::put);
    Reply reply = Reply.of(Exit.DONE,
        JsonWriter.line().put("dry_run", isDry).put("to", report.to()).put("moved", numbers));
    report.numbers().forEach((name, number) -> reply.data(verb + number + " " + name.replace('_', ' ')));
    return reply;
  }

  private static Reply listed(ErrorCode code, String message, List<String> items, String suggestion) {
    return Reply.failure(code, message + ": " + String.join("; ", items), suggestion,
        JsonWriter.line().list("reasons", items.stream().map(JsonWriter::quote).toList()));
  }

  private static JsonWriter mark(MoveMark mark) {
    return JsonWriter.line().put("to", mark.to()).put("since", mark.since());
  }
}

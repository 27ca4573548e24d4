package fleet.tower.cli.token;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.repeated;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.Role;
import fleet.tower.access.Tokens;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.CallerStop;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/**
 * {@code tower token create|list|rotate|revoke}: the tokens of this home's service. In a fleet they are those of its
 * database; {@code --local} means the file of this host.
 */
public final class TokenCommands {
  private static final String OPERATOR = Role.OPERATOR.toString();
  private static final Duration SHORTEST = Duration.ofMinutes(1);
  private static final Duration USUAL_OVERLAP = Duration.ofDays(1);
  private static final Duration LONGEST_OVERLAP = Duration.ofDays(90);
  private static final String ADOPT = "adopt";
  private static final String STOP = "stop";
  private static final Option LOCAL = flag("local", "in a fleet, the tokens in config/tokens.yaml of this host only");

  private final Home home;

  public TokenCommands(Home home) {
    this.home = home;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("token create", List.of("NAME"), "create a token; it is printed once and stored only as a digest",
            List.of(
                value("role", "R", "viewer reads; agent also runs, holds and works; operator may do everything")
                    .needed(),
                repeated("", "intent", "P", "an intent that an agent may run, such as deploy-*; may be repeated"
                    + " (default: all)"),
                repeated("", "intents", "P,P", "the same, as a comma-separated list"),
                repeated("", "param", "NAME=P", "a value that these intents may be given, such as"
                    + " environment=staging; may be repeated"),
                repeated("", "lock", "P", "a lock that an agent may hold itself, such as ci-*; may be repeated"
                    + " (default: all)"),
                repeated("", "mailbox", "P", "a mailbox that an agent may use, such as jobs-*; may be repeated"
                    + " (default: all)"),
                repeated("", "task", "P", "a project whose tasks an agent may work on, such as web-*; may be repeated"
                    + " (default: all tasks)"),
                repeated("", "approve", "P", "an intent whose runs may be approved with it, such as deploy-*;"
                    + " may be repeated (default: none)"),
                value("owner", "WHO", "who answers for it: a person, or oidc:ISSUER#SUBJECT; tokens of one owner have"
                    + " one vote (default: NAME)"),
                value("expires", "D|TIME",
                    "expiry: 90d from now (with its unit), or 2026-01-31T08:00:00Z (default: never)"),
                LOCAL),
            this::create),
        new Command("token list", List.of(), "list the tokens, their rights and when they were last used on this host",
            List.of(LOCAL), this::list),
        new Command("token rotate", List.of("NAME"),
            "replace a token, also the operator's (NAME is operator); the previous one stays valid for a while",
            List.of(
                value("overlap", "D", "how long the previous one stays valid (default: 24h; operator: 0)"),
                value("expires", "D|TIME|never", "expiry of the new one (default: that of the previous one)"),
                flag(ADOPT, "in a fleet, make the token in state/token of this host the operator's"), LOCAL),
            this::rotate),
        new Command("token revoke", List.of("NAME"),
            "revoke a token; takes effect in all running services within a second",
            List.of(flag(STOP, "cancel the runs of its owner, and give up its locks, tasks and messages"), LOCAL),
            this::revoke));
  }

  private TokenPlace place(Arguments arguments) {
    return arguments.has("local") ? TokenPlace.file(home) : TokenPlace.usual(home);
  }

  private Reply create(Arguments arguments) {
    TokenPlace place = place(arguments);
    String name = arguments.operand(0);
    Tokens.TokenRequest request = new Tokens.TokenRequest(name, arguments.value("owner").orElse(null),
        role(arguments), ScopeOptions.of(arguments), arguments.value("expires").map(this::moment).orElse(null));
    place.other(home).filter(other -> other.has(name)).ifPresent(other -> {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "a token '" + name + "' exists " + other.where()
          + "; choose another name, or revoke it first with `tower token revoke " + name + other.option() + "`");
    });
    Tokens.Issued issued = place.tokens().issue(request);
    Grant grant = home.access().lifetime().of(issued.grant());
    Reply reply = Reply.of(Exit.DONE, TokenTable.members(grant).put("token", issued.token())
        .put("where", place.name()).put("path", issued.change().path())
        .put("kept_comments", issued.change().keptComments()))
        .data(issued.token())
        .words("'" + grant.name() + "' has role " + grant.role() + until(grant.expires())
            + "; its token is on stdout and is not shown again");
    return commented(reply, issued.change());
  }

  private Reply list(Arguments arguments) {
    TokenPlace place = place(arguments);
    List<TokenPlace> places = arguments.has("local")
        ? List.of(place)
        : Stream.concat(Stream.of(place),
            place.other(home).stream()).toList();
    TokenTable table = new TokenTable(places, home.access().hasFleetTokens(), home.access().lifetime(),
        home.time().now());
    Reply reply = Reply.of(Exit.DONE, table.json());
    table.lines().forEach(reply::data);
    return table.isEmpty()
        ? reply.words("no tokens besides the operator's; create one with `tower token create NAME --role agent`")
        : reply;
  }

  private Reply rotate(Arguments arguments) {
    String name = arguments.operand(0);
    Optional<Duration> overlap = arguments.value("overlap").map(TokenCommands::overlap);
    Optional<String> expires = arguments.value("expires");
    if (name.equals(OPERATOR)) {
      if (expires.isPresent()) {
        throw new UsageError("--expires does not apply to the operator's token, which does not expire; omit it");
      }
      return rotateOperator(arguments, overlap.orElse(Duration.ZERO));
    }
    if (arguments.has(ADOPT)) {
      throw new UsageError("--adopt applies to the operator's token only: `tower token rotate operator --adopt`");
    }
    TokenPlace place = place(arguments);
    Tokens.Rotation rotation = new Tokens.Rotation(overlap.orElse(USUAL_OVERLAP),
        expires.map(text -> new Tokens.Expiry(text.equals("never") ? null : moment(text))).orElse(null));
    Optional<Tokens.Issued> issued = place.tokens().rotate(name, rotation);
    return issued.map(it -> rotated(it, place)).orElseGet(() -> unknown(name, place));
  }

  private Reply rotated(Tokens.Issued issued, TokenPlace place) {
    Grant grant = home.access().lifetime().of(issued.grant());
    Reply reply = Reply.of(Exit.DONE, TokenTable.members(grant).put("token", issued.token())
        .list("previous", grant.previous().stream().map(it -> TokenTable.times(it).end()).toList())
        .put("where", place.name()).put("path", issued.change().path())
        .put("kept_comments", issued.change().keptComments()))
        .data(issued.token())
        .words("'" + grant.name() + "' has a new token" + until(grant.expires())
            + "; it is on stdout and is not shown again; " + ending(grant.previous()));
    return commented(reply, issued.change());
  }

  private Reply rotateOperator(Arguments arguments, Duration overlap) {
    boolean isFleet = home.access().hasFleetTokens();
    if (isFleet && arguments.has("local")) {
      throw new UsageError("--local does not apply to the operator's token, which a fleet has once; omit it");
    }
    if (!isFleet && arguments.has(ADOPT)) {
      throw new UsageError("--adopt applies to a fleet; without one, the token in state/token is the operator's");
    }
    Tokens tokens = home.access().tokens();
    if (tokens.operator().isEmpty()) {
      return Reply.failure(ErrorCode.TOKEN_NOT_FOUND,
          "there is no operator token yet", "the first `tower serve` creates it",
          JsonWriter.line().put("name", OPERATOR));
    }
    if (!arguments.has(ADOPT)) {
      return rotatedOperator(tokens.rotateOperator(overlap), "the operator has a new token, in this file"
          + (isFleet ? " of this host only" : ""));
    }
    return tokens.adoptOperator(overlap)
        .map(adopted -> rotatedOperator(adopted, "the operator's token is now the one in this file"))
        .orElseGet(() -> Reply.of(Exit.DONE, JsonWriter.line().put("name", OPERATOR).put("role", OPERATOR)
            .put("path", home.root().resolve("state/token").toString()).list("previous", List.of()))
            .words("the token of this host is already the operator's"));
  }

  private static Reply rotatedOperator(Tokens.RotatedOperator rotated, String words) {
    List<Generation> previous = rotated.operator().previous();
    return Reply.of(Exit.DONE, JsonWriter.line().put("name", OPERATOR).put("role", OPERATOR).put("path", rotated.path())
        .list("previous", previous.stream().map(it -> TokenTable.times(it).end()).toList())).data(rotated.path())
        .words(words + "; " + ending(previous));
  }

  private static String ending(List<Generation> previous) {
    return previous.stream().flatMap(it -> Optional.ofNullable(it.expires()).stream()).max(Comparator.naturalOrder())
        .map(last -> "the previous one is valid until " + Timestamps.format(last))
        .orElse("the previous one is no longer valid");
  }

  private Reply revoke(Arguments arguments) {
    String name = arguments.operand(0);
    TokenPlace place = place(arguments);
    Optional<Tokens.Change> change = place.tokens().revoke(name).map(Tokens.Revoked::change);
    if (change.isEmpty()) {
      return unknown(name, place);
    }
    JsonWriter members = JsonWriter.line().put("name", name).put("revoked", true)
        .put("where", place.name()).put("path", change.get().path())
        .put("kept_comments", change.get().keptComments());
    String revoked = "the token of '" + name + "' is revoked; streams and waiting calls end within a second";
    Reply reply = arguments.has(STOP)
        ? stopped(name, members, revoked)
        : Reply.of(Exit.DONE, members).words(revoked + ", runs continue");
    place.other(home).filter(other -> other.has(name)).ifPresent(other -> reply.words("another token '" + name
        + "' is " + other.where() + " and stays valid; revoke it with `tower token revoke " + name + other.option()
        + "`"));
    return commented(reply, change.get());
  }

  private Reply stopped(String name, JsonWriter members, String revoked) {
    CallerStop.Stopped stopped = CallerStop.of(home, name, home.actor(Optional.empty(), Door.CLI));
    Reply reply = Reply.of(Exit.DONE, members.list("cancelled_runs", quoted(stopped.runs()))
        .list("released_locks", quoted(stopped.locks())).list("released_tasks", quoted(stopped.tasks()))
        .list("returned_messages", quoted(stopped.messages().stream().map(it -> it.id().value()).toList())))
        .words(revoked + (stopped.isEmpty() ? "; its owner runs and holds nothing" : ""));
    stopped.runs().forEach(run -> reply.words("cancelled run " + run));
    stopped.locks().forEach(lock -> reply.words("released lock " + lock));
    stopped.tasks().forEach(task -> reply.words("released task " + task));
    stopped.messages().forEach(it -> reply.words("returned message " + it.id() + " to mailbox " + it.mailbox()));
    return reply;
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).toList();
  }

  private Reply unknown(String name, TokenPlace place) {
    String remedy = name.equals(OPERATOR)
        ? "replace it with `tower token rotate operator`"
        : place.other(home).filter(other -> other.has(name))
            .map(other -> "it is " + other.where() + "; " + (other.isFile() ? "add --local" : "omit --local"))
            .or(() -> Nearest.of(name, place.tokens().list().stream().map(Grant::name).toList())
                .map(near -> "did you mean '" + near + "'? see `tower token list`"))
            .orElse("see `tower token list`");
    return Reply.failure(ErrorCode.TOKEN_NOT_FOUND,
        name.equals(OPERATOR) ? "the operator's token cannot be revoked" : "there is no token '" + name + "'", remedy,
        JsonWriter.line().put("name", name));
  }

  private static Reply commented(Reply reply, Tokens.Change change) {
    return change.keptComments()
        ? reply
        : reply.words(change.path() + " was rewritten; its comments are lost");
  }

  private static Role role(Arguments arguments) {
    String text = arguments.required("role");
    return Arrays.stream(Role.values()).filter(role -> role.toString().equals(text)).findFirst().orElseThrow(
        () -> new UsageError("--role '" + text + "' must be viewer, agent or operator"));
  }

  private static Duration overlap(String text) {
    if (text.matches("\\d{1,9}") && Long.parseLong(text) > 0) {
      throw new UsageError("--overlap " + text + " has no unit; write " + text + "h for hours, or " + text
          + "s for seconds");
    }
    Duration overlap = TimeSpans.parse(text).orElseThrow(
        () -> new UsageError("--overlap '" + text + "' is not a time span such as 24h, or 0 for none"));
    if (overlap.compareTo(LONGEST_OVERLAP) > 0) {
      throw new UsageError("--overlap '" + text + "' is longer than " + LONGEST_OVERLAP.toDays() + "d");
    }
    return overlap;
  }

  private Instant moment(String text) {
    if (text.matches("\\d{1,9}")) {
      throw new UsageError("--expires " + text + " has no unit; write " + text + "d for days, or " + text
          + "s for seconds");
    }
    Instant now = home.time().now();
    Instant moment = TimeSpans.parse(text).map(now::plus).or(() -> Timestamps.parse(text)).orElseThrow(
        () -> new UsageError("--expires '" + text + "' is neither a time span such as 90d nor a UTC time such as "
            + Timestamps.format(now)));
    if (!moment.isAfter(now)) {
      throw new UsageError("--expires '" + text + "' is in the past");
    }
    if (moment.isBefore(now.plus(SHORTEST))) {
      throw new UsageError("--expires '" + text + "' is too short; a token must be valid for at least a minute,"
          + " as in 90d");
    }
    return Timestamps.wholeSecond(moment);
  }

  private static String until(@Nullable Instant expires) {
    return expires == null ? "" : " until " + Timestamps.format(expires);
  }
}

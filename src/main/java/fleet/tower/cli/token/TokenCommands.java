package fleet.tower.cli.token;

import static fleet.tower.cli.shell.Option.repeated;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Grant;
import fleet.tower.access.IntentPattern;
import fleet.tower.access.Role;
import fleet.tower.access.Tokens;
import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.Table;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Durations;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.cli.shell.UsageError;
import fleet.tower.home.Home;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** {@code tower token create|list|revoke}: the tokens of this home's service. */
public final class TokenCommands {
  private static final Duration SHORTEST = Duration.ofMinutes(1);

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
                repeated("", "intents", "P",
                    "restrict an agent to matching intents, such as deploy-*; may be repeated"),
                value("expires", "D|TIME", "expiry: 90d from now (with its unit), or 2026-01-31T08:00:00Z (default: never)")),
            this::create),
        new Command("token list", List.of(), "list the tokens and their roles", List.of(), this::list),
        new Command("token revoke", List.of("NAME"),
            "revoke a token; takes effect in a running service within a second",
            List.of(), this::revoke));
  }

  private Reply create(Arguments arguments) {
    List<IntentPattern> intents = arguments.values("intents").stream()
        .flatMap(value -> Arrays.stream(value.split(",", -1))).map(IntentPattern::new).toList();
    Tokens.Issued issued = home.tokens().issue(new Tokens.TokenRequest(arguments.operand(0), role(arguments), intents,
        arguments.value("expires").map(this::moment).orElse(null)));
    Reply reply = Reply.of(Exit.DONE, members(issued.grant()).put("token", issued.token())
        .put("path", issued.change().path()).put("kept_comments", issued.change().keptComments()))
        .data(issued.token())
        .words("'" + issued.grant().name() + "' has role " + issued.grant().role() + until(issued.grant())
            + "; its token is on stdout and is not shown again");
    return commented(reply, issued.change());
  }

  private Reply list(Arguments arguments) {
    Instant now = home.time().now();
    List<Grant> grants = home.tokens().list();
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().list("tokens",
        grants.stream().map(grant -> members(grant).put("expired", grant.isExpiredAt(now)).end()).toList()));
    if (grants.isEmpty()) {
      return reply.words("no tokens besides the operator's; create one with `tower token create NAME --role agent`");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("NAME", "ROLE", "INTENTS", "EXPIRES"));
    grants.forEach(grant -> rows.add(List.of(grant.name(), grant.role().toString(),
        grant.intents().isEmpty() ? "-" : String.join(",", patterns(grant)), expiry(grant, now))));
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  private Reply revoke(Arguments arguments) {
    String name = arguments.operand(0);
    Optional<Tokens.Change> change = home.tokens().revoke(name).map(Tokens.Revoked::change);
    if (change.isEmpty()) {
      return ErrorCode.TOKEN_NOT_FOUND.reply("there is no token '" + name + "'",
          "see `tower token list`", JsonWriter.line().put("name", name));
    }
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("name", name).put("revoked", true)
        .put("path", change.get().path()).put("kept_comments", change.get().keptComments()))
        .words("the token of '" + name + "' is revoked; streams and waiting calls end within a second, runs continue");
    return commented(reply, change.get());
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

  private Instant moment(String text) {
    if (text.matches("\\d{1,9}")) {
      throw new UsageError("--expires " + text + " has no unit; write " + text + "d for days, or " + text
          + "s for seconds");
    }
    Instant now = home.time().now();
    Instant moment = Durations.parse(text).map(now::plus).or(() -> Timestamps.parse(text)).orElseThrow(
        () -> new UsageError("--expires '" + text + "' is neither a time span such as 90d nor a UTC time such as "
            + Timestamps.format(now)));
    if (!moment.isAfter(now)) {
      throw new UsageError("--expires '" + text + "' is in the past");
    }
    if (moment.isBefore(now.plus(SHORTEST))) {
      throw new UsageError("--expires '" + text
          + "' is too short; a token must be valid for a minute at least, as in 90d");
    }
    return Timestamps.wholeSecond(moment);
  }

  private static List<String> patterns(Grant grant) {
    return grant.intents().stream().map(IntentPattern::text).toList();
  }

  private static String until(Grant grant) {
    return grant.expires() == null ? "" : " until " + Timestamps.format(grant.expires());
  }

  private static String expiry(Grant grant, Instant now) {
    @Nullable
    Instant expires = grant.expires();
    return expires == null ? "never" : Timestamps.format(expires) + (grant.isExpiredAt(now) ? " (expired)" : "");
  }

  private static JsonWriter members(Grant grant) {
    JsonWriter json = JsonWriter.line().put("name", grant.name()).put("role", grant.role().toString())
        .list("intents", patterns(grant).stream().map(JsonWriter::quote).toList());
    return grant.expires() == null ? json.raw("expires_at", "null") : json.put("expires_at", grant.expires());
  }
}

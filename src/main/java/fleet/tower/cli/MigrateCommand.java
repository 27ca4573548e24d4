package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.platform.Exit;
import fleet.tower.platform.StoreSchema;
import fleet.tower.platform.json.JsonWriter;

/** {@code tower migrate}: creates or updates the tables of the configured database, or of another one. */
final class MigrateCommand {
  private final Home home;

  MigrateCommand(Home home) {
    this.home = home;
  }

  Command migrate() {
    return new Command("migrate", List.of(), "create or update the tables of the database",
        List.of(
            value("url", "URL",
                "the database, such as 'jdbc:postgresql://HOST/NAME?user=owner' (default: the one that is"
                    + " configured)"),
            flag("check", "change nothing; print what is missing, and exit with 1 if anything is"),
            flag("print", "change nothing; print the missing statements as SQL")),
        this::migrate);
  }

  private Reply migrate(Arguments arguments) {
    if (arguments.has("check") && arguments.has("print")) {
      throw new UsageError("--check and --print cannot be combined; omit one");
    }
    StoreSchema schema = home.upkeep().schema(arguments.value("url"));
    if (arguments.has("check")) {
      return check(schema);
    }
    return arguments.has("print") ? print(schema) : upgrade(schema);
  }

  private static Reply check(StoreSchema schema) {
    List<String> missing = schema.missing();
    Reply reply = reply(missing.isEmpty() ? Exit.DONE : Exit.FAILED, schema, "missing", missing);
    missing.forEach(script -> reply.data("missing " + script));
    return reply
        .words(missing.isEmpty() ? upToDate(schema) : schema.database() + " is not up to date; run `tower migrate`");
  }

  private static Reply print(StoreSchema schema) {
    List<String> statements = schema.statements();
    Reply reply = reply(Exit.DONE, schema, "statements", statements);
    statements.forEach(statement -> (statement + ";").lines().forEach(reply::data));
    return statements.isEmpty() ? reply.words(upToDate(schema)) : reply;
  }

  private static Reply upgrade(StoreSchema schema) {
    List<String> applied = schema.upgrade();
    Reply reply = reply(Exit.DONE, schema, "applied", applied);
    applied.forEach(script -> reply.data("applied " + script));
    return reply.words(upToDate(schema));
  }

  private static Reply reply(Exit exit, StoreSchema schema, String member, List<String> texts) {
    return Reply.of(exit, JsonWriter.line().put("database", schema.database()).list(member,
        texts.stream().map(JsonWriter::quote).toList()));
  }

  private static String upToDate(StoreSchema schema) {
    return schema.database() + " is up to date";
  }
}

package fleet.tower.operation;

import static fleet.tower.access.Role.OPERATOR;
import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.CommonArgs.REASON;
import static fleet.tower.operation.CommonArgs.REQUEST_ID;
import static fleet.tower.operation.Operation.Method.DELETE;
import static fleet.tower.operation.Operation.Method.GET;
import static fleet.tower.operation.Operation.Method.PUT;

import java.util.List;
import java.util.stream.Stream;

import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;

/** The operations on halts. */
public final class HaltOperations {
  public static final Arg<String> NAME = Arg.text("name", "NAME", "the name of the halt").operand();
  public static final Arg<List<String>> ACTORS = Arg.texts("actors", "G",
      "halt what these actors do, with * for any characters").option("actor").or(List.of());
  public static final Arg<List<String>> INTENTS = Arg.texts("intents", "G",
      "halt these intents, with * for any characters").option("intent").or(List.of());
  public static final Arg<List<String>> LOCKS = Arg.texts("locks", "G",
      "halt what takes these locks, with * for any characters").option("lock").or(List.of());
  public static final Arg<Boolean> EVERYTHING = Arg.flag("all", "halt everything");
  public static final Arg<String> LEVEL = Arg.word("level", Stream.of(Halt.Level.values()).map(Halt.Level::toString)
      .toList(), "admit: nothing new begins; drain: also no further step; kill: also stop what runs now")
      .or(Halt.Level.ADMIT.toString());
  public static final Arg<Long> TTL = Arg.seconds("ttl_seconds", 1, HaltRequest.LONGEST.toSeconds(),
      "how long it lasts (default: until it is lifted)");
  public static final Arg<String> WHY = REASON.says("why; shown to every refused caller").must();

  public static final Operation LIST = Operation.of("listHalts", VIEWER, GET, "/halts", "list the halts in force")
      .command("halts");
  public static final Operation PLACE = Operation.of("placeHalt", OPERATOR, PUT, "/halts/{name}",
      "stop runs, locks, guards, tasks and messages from beginning, or stop what runs; an existing halt is replaced",
      NAME, ACTORS, INTENTS, LOCKS, EVERYTHING, LEVEL, TTL, WHY, REQUEST_ID).command("halt");
  public static final Operation LIFT = Operation.of("liftHalt", OPERATOR, DELETE, "/halts/{name}",
      "lift a halt, including another actor's; audited", NAME, REQUEST_ID).command("unhalt");

  /** All of them. */
  public static final List<Operation> ALL = List.of(LIST, PLACE, LIFT);

  private HaltOperations() {}
}

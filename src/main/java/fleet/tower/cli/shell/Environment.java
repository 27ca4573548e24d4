package fleet.tower.cli.shell;

import java.util.List;

import fleet.tower.answer.CommandLine;
import fleet.tower.operation.RunOperations;

/** The environment variables of the product, apart from those that stand for a key of the configuration. */
public final class Environment {
  private Environment() {}

  /** Who sets a variable, and for whom. */
  public enum Use {
    /** Set by the user, for commands and the service. */
    COMMANDS("commands"),
    /** Set for every step of a run. */
    STEPS("steps"),
    /** Set for the command of a guard. */
    GUARD("guard"),
    /** Set for the command of a task worker. */
    WORKER("task work"),
    /** Used between lock-manager.sh and the scripts that source it. */
    SCRIPT("lock-manager.sh");

    private final String word;

    Use(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /** A variable. */
  public record Variable(String name, Use use, String meaning) {}

  /** All variables; one appears once per use. */
  public static List<Variable> table() {
    return List.of(
        new Variable("TOWER_HOME", Use.COMMANDS, "the home, if --home is not given"),
        new Variable("TOWER_ACTOR", Use.COMMANDS, "the actor, if --actor is not given (default: the OS user)"),
        new Variable("TOWER_AGENT", Use.COMMANDS, "the agent of task commands, if --agent is not given"),
        new Variable("TOWER_URL", Use.COMMANDS, "the service, if --server is not given; empty: the home's files"),
        new Variable("TOWER_TOKEN", Use.COMMANDS, "the token for the service"),
        new Variable("TOWER_TOKEN_FILE", Use.COMMANDS, "a file with the token, if TOWER_TOKEN is not set"),
        new Variable("TOWER_AOT", Use.COMMANDS, "off: the launcher uses no cache of linked classes"),
        new Variable("TOWER_DOOR", Use.COMMANDS, "script: the audit log records the door 'script' instead of 'cli'"),
        new Variable("NO_COLOR", Use.COMMANDS, "not empty: no colours on a terminal"),
        new Variable("JAVA_HOME", Use.COMMANDS, "the JDK 25 that the launcher tries first"),
        new Variable("SERVER_PORT", Use.COMMANDS, "the port of the service, if --port is not given (default: 8080)"),
        new Variable("TOWER_REQUEST_ID", Use.STEPS, "the id of the run"),
        new Variable("TOWER_INTENT", Use.STEPS, "the name of the intent"),
        new Variable("TOWER_ACTOR", Use.STEPS, "the actor of the run"),
        new Variable("TOWER_LOCK_NAME", Use.STEPS, "the name of the lock; empty without one"),
        new Variable("TOWER_LOCK_TOKEN", Use.STEPS, "the fencing token of the lock; empty without one"),
        new Variable("TOWER_HOME", Use.STEPS, "the home"),
        new Variable("TOWER_BEAT_FILE", Use.STEPS,
            "a file; writing to it reports progress, as `" + new CommandLine(RunOperations.BEAT) + "` does"),
        new Variable("TOWER_STEP_ID", Use.STEPS, "identifies the processes of the step"),
        new Variable("PARAM_<NAME>", Use.STEPS, "the value of a parameter, its name in upper case"),
        new Variable("TRACEPARENT", Use.STEPS, "the trace context, if tracing is on"),
        new Variable("TOWER_REQUEST_ID", Use.GUARD, "the request id that owns the lock"),
        new Variable("TOWER_LOCK_NAME", Use.GUARD, "the name of the lock"),
        new Variable("TOWER_LOCK_TOKEN", Use.GUARD, "the fencing token of the lock"),
        new Variable("TOWER_TASK_ID", Use.WORKER, "the id of the task"),
        new Variable("TOWER_TASK_ATTEMPT", Use.WORKER, "the attempt of the claim"),
        new Variable("TOWER_TASK_TITLE", Use.WORKER, "the title of the task"),
        new Variable("TOWER_AGENT", Use.WORKER, "the agent that claimed the task"),
        new Variable("TOWER_HELD_LOCKS", Use.SCRIPT, "the locks that the script holds, with their request ids"),
        new Variable("TOWER_HOME_FOUND", Use.SCRIPT, "yes if lock-manager.sh found the home by itself"),
        new Variable("TOWER_HOME_HIDDEN", Use.SCRIPT, "the usual home that the found one hides"));
  }
}

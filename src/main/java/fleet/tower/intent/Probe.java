package fleet.tower.intent;

import org.jspecify.annotations.Nullable;

/**
 * How the runs of an intent look at the world: a command that changes nothing and prints the state that it sees as one
 * JSON object. It gets no lock and no fencing token, and a secret parameter only if its environment names that.
 *
 * @param look the command with its environment and time limit
 * @param desired the part of the state that holds after a run; null if the intent names none
 */
public record Probe(Intent.Step look, @Nullable Desired desired) {
  /** The name of the command, which no step has. */
  public static final String NAME = "probe";

  /** Whether the command gets a parameter. */
  public boolean gets(Parameter param) {
    Template.Param reference = new Template.Param(param.name());
    return !param.secret() || look.env().values().stream().flatMap(value -> value.references().stream())
        .anyMatch(it -> it.variable().equals(reference));
  }
}

package fleet.tower.run;

import java.util.List;

/**
 * The parameter values of a run, without secrets, for the record.
 *
 * @param values a JSON object, as the body of the same request has it; defaults are included
 * @param secrets the names of the given parameters whose values are not recorded: they are secret, or contain a secret
 */
public record RunParams(String values, List<String> secrets) {
  public RunParams {
    secrets = List.copyOf(secrets);
  }
}

package fleet.tower.operation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.run.Run;
import fleet.tower.run.submit.RunRequest;

/** Runs that repeat an earlier one. Nothing but the values of its parameters is taken from that. */
public final class RunAgain {
  private RunAgain() {}

  /**
   * The request for the intent of the earlier run that it names, with the recorded values of the parameters that it does
   * not give itself; the same request if it names none.
   *
   * @throws InvalidValue if there is no such run, it has not ended, or a secret that it had is not given again
   */
  public static RunRequest resolved(RunRequest request, Function<RequestId, Optional<Run>> runs) {
    RequestId id = request.origin().again();
    if (id == null) {
      return request;
    }
    Run run = runs.apply(id).orElseThrow(() -> refusal("there is no run " + id + ", so it cannot be run again"));
    if (!run.status().isFinished()) {
      throw refusal("run " + id + " is " + run.status() + "; it can be run again when it has ended");
    }
    Run.Params recorded = run.header().params();
    if (recorded == null) {
      return request.running(run.intent(), request.params());
    }
    List<String> missing = recorded.secrets().stream().filter(name -> !request.params().containsKey(name)).toList();
    if (!missing.isEmpty()) {
      throw refusal("run " + id + " had secret parameters, which are not recorded; give again: "
          + String.join(", ", missing));
    }
    Map<String, Values.Given> params = recorded.given();
    params.putAll(request.params());
    return request.running(run.intent(), params);
  }

  private static InvalidValue refusal(String problem) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, problem);
  }
}

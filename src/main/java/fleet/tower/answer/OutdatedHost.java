package fleet.tower.answer;

import java.util.List;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;

/** The refusal of a request for a run whose host has an earlier version, which does not read the requests of others. */
public record OutdatedHost(RequestId run, String hostId) {

  public String sentence() {
    return "run " + run + " is executed on host " + hostId
        + ", whose earlier version does not read the requests of other hosts";
  }

  public String suggestion() {
    return "do this on host " + hostId;
  }

  /** The run and its host. */
  public JsonWriter context() {
    return JsonWriter.line().put("request_id", run.value()).put("host_id", hostId);
  }

  /** The steps that help. */
  public List<NextStep> steps() {
    return List.of(NextActions.see(run, "see its state"), NextStep.advice(suggestion()));
  }
}

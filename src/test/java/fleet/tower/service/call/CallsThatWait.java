package fleet.tower.service.call;

import fleet.tower.operation.WaitingCalls;
import fleet.tower.service.config.TestService;

/** The calls of a service that wait or stream now. */
public final class CallsThatWait {
  private CallsThatWait() {}

  /** Their number, at all hosts together. */
  public static int at(TestService service) {
    return service.partOfEach(WaitingCalls.class).stream().mapToInt(it -> it.places().taken()).sum();
  }
}

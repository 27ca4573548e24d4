package fleet.tower.service.web;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.run.RunCalls;

class OpenDoor {
  private final RunCalls calls;

  OpenDoor(RunCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.VIEWER)
  void asksTooLittle(Caller caller) {
    calls.find("r1");
    Runnable later = () -> calls.beat("r1", caller);
    later.run();
  }

  void asksNothing() {
    calls.find("r1");
  }

  @Needs(Role.VIEWER)
  void asksEnough() {
    calls.find("r1");
  }
}

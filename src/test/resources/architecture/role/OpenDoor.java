package fleet.tower.service.web;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.lock.LockCalls;

class OpenDoor {
  private final LockCalls calls;

  OpenDoor(LockCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.VIEWER)
  void asksTooLittle(LockCalls.ForceReleaseBody body, Caller caller) {
    calls.view("prod");
    Runnable later = () -> calls.forceRelease("prod", body, caller);
    later.run();
  }

  void asksNothing() {
    calls.heartbeats();
  }

  @Needs(Role.VIEWER)
  void asksEnough() {
    calls.heartbeats();
  }
}

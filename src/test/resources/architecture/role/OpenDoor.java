package fleet.tower.service.web;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.mailbox.MailboxCalls;

class OpenDoor {
  private final MailboxCalls calls;

  OpenDoor(MailboxCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.VIEWER)
  void asksTooLittle(Caller caller) {
    calls.view("prod");
    Runnable later = () -> calls.purge("prod", caller);
    later.run();
  }

  void asksNothing() {
    calls.view("prod");
  }

  @Needs(Role.VIEWER)
  void asksEnough() {
    calls.view("prod");
  }
}

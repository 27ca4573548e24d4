package fleet.tower.service.web;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;
import fleet.tower.harness.ProofsProfile;

@ExtendWith(ThreeHosts.class)
@DisplayName("HTTP calls of a fleet, each answered by a host picked at random")
@ProofsProfile
class FleetCallsTest {
  @Nested
  class Runs extends RunCallsTest {}

  @Nested
  class Output extends RunOutputCallsTest {}

  @Nested
  class Events extends RunEventsTest {}

  @Nested
  class Locks extends LockCallsTest {}

  @Nested
  class Tasks extends TaskCallsTest {}

  @Nested
  class Mailboxes extends MailboxCallsTest {}

  @Nested
  @LongProfile
  class QueuedRuns extends QueuedRunCallsTest {}

  @Nested
  @LongProfile
  class WaitingRuns extends RunWaitingTest {}

  @Nested
  @LongProfile
  class Ownership extends OwnershipContract {
    Ownership() {
      super("--tower.queue.workers=1");
    }
  }

  @Nested
  @LongProfile
  class Freezes extends FreezeCallsTest {}

  @Nested
  @LongProfile
  class Audit extends AuditCallsTest {}

  @Nested
  @LongProfile
  class Input extends RunInputTest {}

  @Nested
  @LongProfile
  class Params extends RunParamsTest {}
}

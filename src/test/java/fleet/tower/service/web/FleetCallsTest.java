package fleet.tower.service.web;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;

@ExtendWith(ThreeHosts.class)
@DisplayName("HTTP calls of a fleet, each answered by a host picked at random")
class FleetCallsTest {
  @Nested
  class Runs extends RunCallsTest {
    Runs(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Output extends RunOutputCallsTest {
    Output(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Events extends RunEventsTest {
    Events(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Locks extends LockCallsTest {
    Locks(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Tasks extends TaskCallsTest {
    Tasks(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Mailboxes extends MailboxCallsTest {
    Mailboxes(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class QueuedRuns extends QueuedRunCallsTest {
    QueuedRuns(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class WaitingRuns extends RunWaitingTest {
    WaitingRuns(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class Ownership extends OwnershipContract {
    Ownership(@TempDir Path home) {
      super(home, "--tower.queue.workers=1");
    }
  }

  @Nested
  @LongProfile
  class Freezes extends FreezeCallsTest {
    Freezes(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class Audit extends AuditCallsTest {
    Audit(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class Input extends RunInputTest {
    Input(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class Params extends RunParamsTest {
    Params(@TempDir Path home) {
      super(home);
    }
  }
}

package fleet.tower.console;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;

@LongProfile
@ExtendWith(ThreeHosts.class)
@DisplayName("The console of a fleet, served by a host picked at random for every request")
class FleetConsoleTest {
  @Nested
  class LocksAndIntents extends LocksAndIntentsTest {
    LocksAndIntents(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Pages extends PagesTest {
    Pages(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class OperatorTasks extends OperatorTasksTest {
    OperatorTasks(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  class Viewer extends ViewerTest {
    Viewer(@TempDir Path home) {
      super(home);
    }
  }
}

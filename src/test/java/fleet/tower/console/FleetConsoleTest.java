package fleet.tower.console;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;

@LongProfile
@ExtendWith(ThreeHosts.class)
@DisplayName("The console of a fleet, served by a host picked at random for every request")
class FleetConsoleTest {
  @Nested
  class LocksAndIntents extends LocksAndIntentsTest {}

  @Nested
  class Pages extends PagesTest {}

  @Nested
  class OperatorTasks extends OperatorTasksTest {}

  @Nested
  class Viewer extends ViewerTest {}
}

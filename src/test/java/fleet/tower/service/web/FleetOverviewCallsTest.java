package fleet.tower.service.web;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;

@LongProfile
@ExtendWith(ThreeHosts.class)
@DisplayName("The overview of a fleet, from a host picked at random")
class FleetOverviewCallsTest {
  @Nested
  class Calls extends OverviewCallsTest {
    Calls(@TempDir Path home) {
      super(home);
    }
  }
}

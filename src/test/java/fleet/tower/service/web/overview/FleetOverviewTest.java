package fleet.tower.service.web.overview;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;

@ExtendWith(ThreeHosts.class)
@DisplayName("The overview of a fleet, read from a host picked at random")
class FleetOverviewTest {
  @Nested
  class Overview extends OverviewCallsTest {
    Overview(@TempDir Path home) {
      super(home);
    }
  }
}

package fleet.tower.mcp;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;
import fleet.tower.harness.ProofsProfile;

@ExtendWith(ThreeHosts.class)
@DisplayName("MCP clients of a fleet, which reach a host picked at random with every call")
@ProofsProfile
class FleetAgentTest {
  @Nested
  class Agent extends ScriptedAgentTest {
    Agent(@TempDir Path home) {
      super(home);
    }
  }

  @Nested
  @LongProfile
  class Once extends ExactlyOnceTest {}

  @Nested
  @LongProfile
  class JavaClient extends JavaClientTest {
    JavaClient(@TempDir Path home) {
      super(home);
    }
  }
}

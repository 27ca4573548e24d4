package fleet.tower.service.mcp.http;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;
import fleet.tower.harness.ProofsProfile;

@ExtendWith(ThreeHosts.class)
@DisplayName("MCP calls of a fleet, each answered by a host picked at random")
@ProofsProfile
class FleetMcpCallsTest {
  @Nested
  @LongProfile
  class Calls extends McpCallsTest {}

  @Nested
  class Runs extends McpRunsTest {
    Runs(@TempDir Path home) {
      super(home);
    }
  }
}

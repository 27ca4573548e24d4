package fleet.tower.service.mcp.http;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;

@ExtendWith(ThreeHosts.class)
@DisplayName("MCP calls of a fleet, each answered by a host picked at random")
class FleetMcpCallsTest {
  @Nested
  @LongProfile
  class Calls extends McpCallsTest {}
}

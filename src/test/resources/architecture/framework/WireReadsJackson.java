package fleet.tower.service.mcp.wire;

import tools.jackson.databind.json.JsonMapper;

interface WireReadsJackson {
  JsonMapper mapper();
}

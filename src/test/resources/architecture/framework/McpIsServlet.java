package fleet.tower.service.mcp.http;

import jakarta.servlet.http.HttpServletRequest;

interface McpIsServlet {
  void called(HttpServletRequest request);
}

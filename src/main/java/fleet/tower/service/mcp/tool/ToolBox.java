package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.Optional;

import fleet.tower.access.Caller;

/** The tools of a server. */
public interface ToolBox {

  /** The tools that a caller may use, in a fixed order; the same for every connection. */
  List<Tool> tools(Caller caller);

  /** The tool with a name, if the caller may use it. */
  default Optional<Tool> find(String name, Caller caller) {
    return tools(caller).stream().filter(tool -> tool.name().equals(name)).findFirst();
  }
}

package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.Optional;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;

/** The tools of a server. */
public interface ToolBox {

  /** The tools that a caller may use, in a fixed order; the same for every connection. */
  List<Tool> tools(Caller caller);

  /** Throws if there is a tool with a name, and the caller may not use it. */
  default void requirePermitted(String name, Caller caller) {
    if (find(name, Caller.of(caller.name(), Role.OPERATOR, Scope.ALL)).isPresent()) {
      caller.require(Role.AGENT, "call " + name);
    }
  }

  /** The tool with a name, if the caller may use it. */
  default Optional<Tool> find(String name, Caller caller) {
    return tools(caller).stream().filter(tool -> tool.name().equals(name)).findFirst();
  }
}

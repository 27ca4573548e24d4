package fleet.tower.service.mcp.wire;

import java.util.List;

/** The headers of the HTTP request that carried a message. */
@FunctionalInterface
public interface Headers {

  /** The values of a header, without surrounding white space; empty if the request does not have it. */
  List<String> values(String name);
}

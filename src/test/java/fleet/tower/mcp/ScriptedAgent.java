package fleet.tower.mcp;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An agent without a model. It knows the list of tools and the next actions of its last result, and nothing else: it
 * performs the first action that it has not yet performed, and repeats a call whose answer is lost.
 */
final class ScriptedAgent {
  private static final int MAX_TURNS = 40;
  private final McpCaller caller;
  private final String name;
  private final Runnable reconnect;
  private final Map<String, JsonNode> tools = new HashMap<>();
  private final List<String> trail = Collections.synchronizedList(new ArrayList<>());
  private final List<String> advice = Collections.synchronizedList(new ArrayList<>());
  private int ids;

  private record Action(String tool, Map<String, Object> arguments) {}

  /** @param reconnect performed after a lost answer, before the call is repeated */
  ScriptedAgent(String name, McpCaller caller, Runnable reconnect) throws IOException {
    this.name = name;
    this.caller = caller;
    this.reconnect = reconnect;
    caller.listTools().forEach(tool -> tools.put(tool.path("name").asString(), tool));
  }

  /** Every call so far with its outcome, such as {@code deploy refused lock_blocked}. */
  List<String> trail() {
    synchronized (trail) {
      return List.copyOf(trail);
    }
  }

  /** The suggestions of all results, and their actions that are no calls. */
  List<String> advice() {
    synchronized (advice) {
      return List.copyOf(advice);
    }
  }

  /** Calls a tool, and does what its results say until a run has succeeded; returns that result. */
  JsonNode solve(String tool, Map<String, ?> arguments) {
    Deque<Action> actions = new ArrayDeque<>();
    Map<String, Object> first = new LinkedHashMap<>(arguments);
    if (requireNonNull(tools.get(tool), tool).at("/inputSchema/properties").has("tower_request_id")) {
      first.put("tower_request_id", name + "-" + ++ids);
    }
    actions.add(new Action(tool, first));
    List<Action> performed = new ArrayList<>();
    for (int turn = 0; turn < MAX_TURNS && !actions.isEmpty(); turn++) {
      Action action = actions.poll();
      performed.add(action);
      JsonNode result = perform(action).path("structuredContent");
      trail.add((action.tool() + " " + result.path("outcome").asString("") + " " + result.path("error").asString(""))
          .strip());
      switch (result.path("outcome").asString("")) {
        case "succeeded" -> {
          return result;
        }
        case "done" -> {
          // It has only informed; the other actions are still open.
        }
        default -> {
          List<Action> next = next(result);
          actions.clear();
          next.stream().filter(it -> !performed.contains(it) || isWait(it)).forEach(actions::add);
        }
      }
    }
    throw new AssertionError(name + " does not know how to go on after " + trail + "; advice: " + advice);
  }

  /** A call that may be repeated: it waits for something. */
  private static boolean isWait(Action action) {
    return action.tool().startsWith("wait_") || action.arguments().containsKey("tower_wait_seconds");
  }

  private List<Action> next(JsonNode result) {
    List<Action> next = new ArrayList<>();
    advice.add(result.path("suggestion").asString(""));
    for (JsonNode action : result.path("next_actions")) {
      if (tools.containsKey(action.path("tool").asString(""))) {
        next.add(new Action(action.get("tool").asString(),
            JsonMapper.shared().convertValue(action.path("arguments"), new TypeReference<>() {})));
      } else if (action.has("tool")) {
        throw new AssertionError("no tool of the list: " + action);
      } else {
        advice.add(action.path("why").asString());
      }
    }
    return next;
  }

  private JsonNode perform(Action action) {
    for (int attempt = 0; attempt < MAX_TURNS; attempt++) {
      try {
        return caller.callTool(action.tool(), action.arguments());
      } catch (IOException lost) {
        trail.add(action.tool() + " lost");
        reconnect.run();
      }
    }
    throw new AssertionError("no answer to " + action);
  }
}

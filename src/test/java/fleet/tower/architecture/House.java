package fleet.tower.architecture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClass;

/** The rooms of the house from the ground up, each with the rooms below that it may use. */
record House(List<Room> rooms) {
  private static final String BASE = "fleet.tower";

  /** A room uses only rooms that are listed before it, so there is no cycle between rooms. */
  static final House DRAWN = new House(List.of(
      drawn("platform"),
      drawn("lease", "platform"),
      drawn("audit", "lease", "platform"),
      drawn("approval", "lease", "platform"),
      drawn("intent", "approval", "lease", "platform"),
      drawn("access", "audit", "lease", "platform"),
      drawn("lock", "audit", "lease", "platform"),
      drawn("foreign", "audit", "lease", "platform"),
      drawn("policy", "lock", "approval", "access", "intent", "audit", "lease", "platform"),
      drawn("mailbox", "lock", "audit", "lease", "platform"),
      drawn("guard", "lock", "audit", "lease", "platform"),
      drawn("run", "policy", "mailbox", "foreign", "lock", "approval", "access", "intent", "audit", "lease",
          "platform"),
      drawn("task", "run", "intent", "audit", "lease", "platform"),
      drawn("home", "task", "run", "guard", "policy", "mailbox", "foreign", "lock", "approval", "access", "intent",
          "audit", "lease", "platform"),
      drawn("operation", "home", "task", "run", "policy", "mailbox", "foreign", "lock", "approval", "access",
          "intent", "audit", "lease", "platform"),
      drawn("answer", "operation", "home", "task", "run", "policy", "mailbox", "foreign", "lock", "approval",
          "access", "intent", "audit", "lease", "platform"),
      drawn("remote", "answer", "operation", "lease", "platform"),
      drawn("cli", "remote", "answer", "operation", "home", "task", "run", "guard", "policy", "mailbox", "foreign",
          "lock", "approval", "access", "intent", "audit", "lease", "platform"),
      drawn("service", "remote", "answer", "operation", "home", "task", "run", "policy", "mailbox", "foreign",
          "lock", "approval", "access", "intent", "audit", "lease", "platform")));

  /** Rooms of use cases and ports: outside their adapters they use the JDK's plain types and the rooms below. */
  static final Set<String> CORE_ROOMS = Set.of("lease", "audit", "intent", "access", "lock", "foreign", "mailbox",
      "guard", "approval", "policy", "run", "task");

  /** The last word of a package that adapts a port of its room to a technique. */
  private static final Set<String> TECHNIQUES = Set.of("file", "sql", "jsonl", "yaml", "oidc", "process");

  /** The platform's packages that only adapters, and packages that open adapters, may use. */
  private static final Set<String> FOR_ADAPTERS = Set.of("platform.disk", "platform.sql", "platform.process",
      "platform.yaml");

  /** One room: a top-level package with its sub-packages. */
  record Room(String name, Set<String> used) {}

  private static Room drawn(String name, String... used) {
    return new Room(name, Set.of(used));
  }

  Optional<Room> room(String name) {
    return rooms.stream().filter(room -> room.name().equals(name)).findFirst();
  }

  /** The name of a package of the house below its base, empty for the base itself and for foreign classes. */
  static Optional<String> packageOf(JavaClass type) {
    String in = type.getBaseComponentType().getPackageName();
    if (in.equals(BASE)) {
      return Optional.of("");
    }
    return in.startsWith(BASE + ".") ? Optional.of(in.substring(BASE.length() + 1)) : Optional.empty();
  }

  /** The room that a package belongs to. */
  static String roomOf(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  static boolean isAdapter(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && CORE_ROOMS.contains(roomOf(name)) && TECHNIQUES.contains(name.substring(dot + 1));
  }

  static boolean isCore(String name) {
    return CORE_ROOMS.contains(roomOf(name)) && !isAdapter(name);
  }

  static boolean isForAdapters(String name) {
    return FOR_ADAPTERS.contains(name);
  }

  /** Whether a package of the service also works in a process without Spring. */
  static boolean isWithoutSpring(String name) {
    return !isWithin(name, "service.mcp.http") && (isWithin(name, "service.call") || isWithin(name, "service.mcp"));
  }

  private static boolean isWithin(String name, String around) {
    return name.equals(around) || name.startsWith(around + ".");
  }

  /** Whether a package assembles the house, and so may open adapters. */
  static boolean opensAdapters(String name) {
    return Set.of("home", "service.config", "").contains(name);
  }

  /** The errors of the drawing itself. */
  List<String> mistakes() {
    List<String> mistakes = new ArrayList<>();
    Map<String, Room> above = new HashMap<>();
    for (Room room : rooms) {
      room.used().stream().filter(used -> !above.containsKey(used)).sorted()
          .forEach(used -> mistakes.add(room.name() + " uses " + used + ", which is not below it"));
      if (above.put(room.name(), room) != null) {
        mistakes.add(room.name() + " is drawn twice");
      }
    }
    return mistakes;
  }
}

package fleet.tower.performance;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The measurements that are made together, in the order of a run of all. */
public enum Group {
  LOCK, HANDOVER, COMMAND, HELD, RUNS, STEPS, SERVE, HTTP, TASKS, MAILBOX, NOTICES, FLEET, SERVICES, ELSEWHERE;

  /** The groups with these names; all of the offered ones if there are none. */
  public static Set<Group> named(List<String> names, Set<Group> offered) {
    Set<Group> named = EnumSet.noneOf(Group.class);
    for (String name : names) {
      named.add(offered.stream().filter(group -> group.toString().equals(name)).findFirst()
          .orElseThrow(() -> new IllegalArgumentException("no group '" + name + "' among "
              + offered.stream().map(Group::toString).collect(Collectors.joining(", ")))));
    }
    return named.isEmpty() ? offered : named;
  }

  /** The groups with a measure that is guarded. */
  public static Set<Group> guarded() {
    return Arrays.stream(Measure.values()).filter(measure -> measure.guard() != Guard.NONE).map(Measure::group)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Group.class)));
  }

  /** As on the command line and on the page. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

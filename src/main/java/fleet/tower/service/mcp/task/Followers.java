package fleet.tower.service.mcp.task;

import java.util.HashMap;
import java.util.Map;

import fleet.tower.lease.RequestId;

/**
 * The calls that follow each run. A run that only waits for its lock is given up when the client of the last one is
 * gone: a client whose connection broke may have repeated its call already, and the repeated call follows the same run.
 */
final class Followers {
  private final Map<RequestId, Group> groups = new HashMap<>();

  /** @param isOwn whether the run was started for one of these calls, and none of them has reported it to its client */
  private record Group(int calls, boolean isOwn) {}

  synchronized void enter(RequestId run, boolean begun) {
    Group before = groups.getOrDefault(run, new Group(0, false));
    groups.put(run, new Group(before.calls + 1, before.isOwn || begun));
  }

  /** A call has its answer, or failed; its client may come back for the run. */
  synchronized void answered(RequestId run) {
    leave(run, false);
  }

  /** The client of a call is gone. Returns whether the run must end unless it has started to change something. */
  synchronized boolean isAbandoned(RequestId run) {
    return leave(run, true);
  }

  private boolean leave(RequestId run, boolean isGone) {
    Group before = groups.getOrDefault(run, new Group(1, false));
    boolean isOwn = before.isOwn && isGone;
    if (before.calls == 1) {
      groups.remove(run);
      return isOwn;
    }
    groups.put(run, new Group(before.calls - 1, isOwn));
    return false;
  }
}

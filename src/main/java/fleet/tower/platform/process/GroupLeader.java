package fleet.tower.platform.process;

/** The first process of a group; its own monitor is held by whoever reaps it or signals the group. */
public interface GroupLeader {
  long pid();

  /** Whether the number of the group can belong to nobody else, because the leader has not been reaped. */
  boolean holdsGroup();
}

package fleet.tower.platform.process;

/** The first process of a process group; its monitor is held while it is reaped and while its group is signalled. */
public interface GroupLeader {
  long pid();

  /** Whether the group id cannot have been reused, because the leader has not been reaped. */
  boolean holdsGroup();
}

package fleet.tower.lock;

/** The replication of locks: whether a standby that takes over knows every granted lock. */
public enum Replication {
  /** There is no standby. */
  NONE,
  /** A standby knows every granted lock. */
  SYNCHRONOUS,
  /** The standbys may not know the latest grants. */
  ASYNCHRONOUS
}

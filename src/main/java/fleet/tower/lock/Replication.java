package fleet.tower.lock;

/** Whether a standby that takes over would know every lock that was granted. */
public enum Replication {
  /** Nobody follows the server, if there is one. */
  NONE,
  /** What was granted is known to a standby. */
  SYNCHRONOUS,
  /** What was granted last may not be known to any. */
  ASYNCHRONOUS
}

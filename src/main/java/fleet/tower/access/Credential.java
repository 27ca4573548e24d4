package fleet.tower.access;

/** What a caller was let in with. It can be revoked, and can expire, while one of the caller's calls lasts. */
@FunctionalInterface
public interface Credential {

  /** A credential that is good for as long as the process runs. */
  Credential LASTING = () -> true;

  /** Whether it would let the caller in again now, with the same role or a higher one. Asked often; it asks nobody outside the process. */
  boolean isGood();
}

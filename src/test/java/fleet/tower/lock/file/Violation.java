package fleet.tower.lock.file;

/** A promise of the lock was broken in a schedule. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1;

  Violation(String message) {
    super(message);
  }
}

package fleet.tower.lock;

/** The place where locks are kept does not work. Nothing is known to have changed; the message says what to do. */
public final class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StorageException(String message) {
    super(message);
  }

  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}

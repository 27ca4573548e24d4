package fleet.tower.platform;

import org.jspecify.annotations.Nullable;

/** Thrown if the storage does not work. No change is known to have happened; the message states the remedy. */
public final class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String publicMessage;

  public StorageException(String message) {
    this(message, message, null);
  }

  /** If the cause has the same message, its public message is kept. */
  public StorageException(String message, Throwable cause) {
    this(message, cause instanceof StorageException other && message.equals(other.getMessage())
        ? other.publicMessage()
        : message, cause);
  }

  /** The refusal of a home that has moved, or is moving, to the database of a fleet. */
  public static StorageException moved(String message) {
    return new StorageException(message, "this home has moved, or is moving, to the database of a fleet", null);
  }

  /**
   * @param publicMessage the message for callers and records; it omits what only operators may see, such as the
   *     location of a database
   */
  public StorageException(String message, String publicMessage, @Nullable Throwable cause) {
    super(message, cause);
    this.publicMessage = publicMessage;
  }

  /** The message for callers and for records that callers can read. */
  public String publicMessage() {
    return publicMessage;
  }
}

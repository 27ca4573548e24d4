package fleet.tower.platform;

import org.jspecify.annotations.Nullable;

/** The place where locks are kept does not work. Nothing is known to have changed; the message says what to do. */
public final class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String publicMessage;

  public StorageException(String message) {
    this(message, message, null);
  }

  /** With the same message as its cause, it also has the cause's message for callers. */
  public StorageException(String message, Throwable cause) {
    this(message, cause instanceof StorageException other && message.equals(other.getMessage())
        ? other.publicMessage()
        : message, cause);
  }

  /** @param publicMessage the message for callers and records, without what only operators may know: where a database is */
  public StorageException(String message, String publicMessage, @Nullable Throwable cause) {
    super(message, cause);
    this.publicMessage = publicMessage;
  }

  /** The message for callers, and for what they can read later. */
  public String publicMessage() {
    return publicMessage;
  }
}

package fleet.tower.platform;

import org.jspecify.annotations.Nullable;

/** Thrown if the storage does not work. No change is known to have happened; the message states the remedy. */
public final class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Whether the failure belongs to an outage, which is temporary. */
  private enum Outage {
    NONE, UNREPORTED, REPORTED
  }

  private final String publicMessage;
  private final Outage outage;
  private final ErrorCode code;

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
    this(message, publicMessage, cause, cause instanceof StorageException other ? other.outage : Outage.NONE);
  }

  private StorageException(String message, String publicMessage, @Nullable Throwable cause, Outage outage) {
    this(message, publicMessage, cause, outage,
        cause instanceof StorageException other ? other.code : ErrorCode.STORAGE_UNAVAILABLE);
  }

  private StorageException(String message, String publicMessage, @Nullable Throwable cause, Outage outage,
      ErrorCode code) {
    super(message, cause);
    this.publicMessage = publicMessage;
    this.outage = outage;
    this.code = code;
  }

  /** A disk with too little free space for what is to be stored. */
  public static StorageException full(String message, String publicMessage) {
    return new StorageException(message, publicMessage, null, Outage.NONE, ErrorCode.DISK_FULL);
  }

  /** A storage that cannot be reached now; the same call may succeed when it can. */
  public static StorageException unreachable(String message, String publicMessage, Throwable cause) {
    return new StorageException(message, publicMessage, cause, Outage.UNREPORTED);
  }

  /** The same failure, of an outage that this process reports to its operator once. */
  public StorageException ofReportedOutage() {
    return new StorageException(String.valueOf(getMessage()), publicMessage, getCause(), Outage.REPORTED, code);
  }

  /** The same failure with a further sentence. */
  public StorageException adding(String sentence) {
    return new StorageException(getMessage() + sentence, publicMessage + sentence, getCause(), outage, code);
  }

  /** The code of the failure at every door. */
  public ErrorCode code() {
    return code;
  }

  /** The message for callers and for records that callers can read. */
  public String publicMessage() {
    return publicMessage;
  }

  /** Whether the storage cannot be reached now, so that waiting helps. */
  public boolean isOutage() {
    return outage != Outage.NONE;
  }

  /** Whether this process reports the outage once for all of its parts, so that no other report is needed. */
  public boolean isReported() {
    return outage == Outage.REPORTED;
  }
}

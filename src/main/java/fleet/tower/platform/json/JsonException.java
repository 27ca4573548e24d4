package fleet.tower.platform.json;

/** A text that is not JSON as we read it; the message says what and where. */
public final class JsonException extends Exception {
  private static final long serialVersionUID = 1;

  JsonException(String message) {
    super(message);
  }
}

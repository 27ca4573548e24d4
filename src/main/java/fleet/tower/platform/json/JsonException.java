package fleet.tower.platform.json;

/** Thrown for invalid JSON; the message states the problem and its position. */
public final class JsonException extends Exception {
  private static final long serialVersionUID = 1;

  JsonException(String message) {
    super(message);
  }
}

package fleet.tower.platform.yaml;

/** An error or a warning at one position in a file; lines and columns start at 1. */
public record Complaint(String file, Node.Position position, boolean isError, String message) {
  @Override
  public String toString() {
    return file + ":" + position.line() + ":" + position.column() + ": " + (isError ? "" : "warning: ") + message;
  }
}

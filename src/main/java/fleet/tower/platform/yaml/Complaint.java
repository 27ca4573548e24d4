package fleet.tower.platform.yaml;

import static java.util.Objects.requireNonNull;

/** Something wrong or doubtful at one place of one file; lines and columns count from 1. */
public record Complaint(String file, Node.Place place, boolean isError, String message) {
  public Complaint {
    requireNonNull(file);
    requireNonNull(place);
    requireNonNull(message);
  }

  @Override
  public String toString() {
    return file + ":" + place.line() + ":" + place.column() + ": " + (isError ? "" : "warning: ") + message;
  }
}

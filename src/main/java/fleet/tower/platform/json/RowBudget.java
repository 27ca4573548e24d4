package fleet.tower.platform.json;

/**
 * The remaining size that a list may have as JSON. Without this bound, a list of large rows could exhaust the memory
 * of its reader.
 */
public final class RowBudget {
  /** The maximum total size of the rows of a list, in characters of JSON. */
  public static final int MAX_SIZE = 8 * 1024 * 1024;

  private int left = MAX_SIZE;
  private boolean isExceeded;

  /** Adds a row; false from the first row that exceeds the budget on. */
  public boolean add(String row) {
    isExceeded |= row.length() > left;
    left -= isExceeded ? 0 : row.length();
    return !isExceeded;
  }

  /** Whether a row exceeded the budget. */
  public boolean isExceeded() {
    return isExceeded;
  }
}

package fleet.tower.platform.json;

/** What is left of the size that a list may have as JSON. Without a bound, a list of large rows exhausts the memory of who answers it. */
public final class RowBudget {
  /** The most that the rows of one list take, in characters of JSON. */
  public static final int MAX_SIZE = 8 * 1024 * 1024;

  private int left = MAX_SIZE;
  private boolean isExceeded;

  /** Takes a row; false for the first one that is too much, and for all behind it. */
  public boolean take(String row) {
    isExceeded |= row.length() > left;
    left -= isExceeded ? 0 : row.length();
    return !isExceeded;
  }

  /** Whether a row did not fit. */
  public boolean isExceeded() {
    return isExceeded;
  }
}

package fleet.tower.platform.list;

/**
 * The remaining number and size of rows that a list may have as JSON. Without a maximum size, a list of large rows
 * could exhaust the memory of its reader. The first row always fits, so that every page has at least one.
 */
public final class RowBudget {
  /** The maximum total size of the rows of a list, in characters of JSON. */
  public static final int MAX_SIZE = 8 * 1024 * 1024;

  private final int limit;
  private int count;
  private long left;
  private boolean isTooLong;
  private boolean isTooLarge;

  /** A list of any number of rows. */
  public RowBudget() {
    this(Integer.MAX_VALUE, MAX_SIZE);
  }

  public RowBudget(int limit, long maxSize) {
    this.limit = limit;
    this.left = maxSize;
  }

  /** Adds a row; false from the first row on that does not fit. */
  public boolean add(String row) {
    isTooLong |= count == limit;
    isTooLarge |= !isTooLong && count > 0 && row.length() > left;
    if (hasMore()) {
      return false;
    }
    count++;
    left -= row.length();
    return true;
  }

  /** Whether a row did not fit because of its size. */
  public boolean isExceeded() {
    return isTooLarge;
  }

  /** Whether a row did not fit, because of its size or the number of rows. */
  public boolean hasMore() {
    return isTooLong || isTooLarge;
  }
}

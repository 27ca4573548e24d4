package fleet.tower.platform.secret;

import org.jspecify.annotations.Nullable;

/**
 * A form that is found by its beginning and then compared byte by byte, by the algorithm of Knuth, Morris and Pratt: where a byte
 * differs, a later beginning may still be right, because it overlaps with what was read. Only those are of interest here that
 * are as long as the beginning; shorter ones are found anew. Few forms have such an overlap in them, and the others keep no table.
 */
final class LongForm {
  private final byte[] form;
  private final int depth;
  private final int nextAlike;
  private final int @Nullable [] overlaps;

  /**
   * @param depth how long the beginning is by which it is found
   * @param nextAlike the next form with the same beginning, or 0
   */
  LongForm(byte[] form, int depth, int nextAlike) {
    this.form = form;
    this.depth = depth;
    this.nextAlike = nextAlike;
    this.overlaps = overlaps(form, depth);
  }

  /** For each length: the longest end of so many bytes that the form begins with, but for all of them. */
  private static int @Nullable [] overlaps(byte[] form, int depth) {
    int[] overlaps = new int[form.length + 1];
    int longest = 0;
    for (int i = 1, overlap = 0; i < form.length; i++) {
      while (overlap > 0 && form[i] != form[overlap]) {
        overlap = overlaps[overlap];
      }
      overlap = form[i] == form[overlap] ? overlap + 1 : 0;
      overlaps[i + 1] = overlap;
      longest = Math.max(longest, overlap);
    }
    return longest < depth ? null : overlaps;
  }

  int depth() {
    return depth;
  }

  int nextAlike() {
    return nextAlike;
  }

  /** How much of it has been read with one byte more; 0 where that is less than its beginning. */
  int next(int read, byte next) {
    int left = read;
    while (left >= depth && (left == form.length || form[left] != next)) {
      left = overlap(left);
    }
    return left >= depth ? left + 1 : 0;
  }

  /** Its length where all of it has been read, else 0. */
  int matched(int read) {
    return read == form.length ? read : 0;
  }

  /** How much of what has been read may be the beginning of one that is not complete. */
  int open(int read) {
    return read < form.length ? read : overlap(read);
  }

  private int overlap(int read) {
    return overlaps == null ? 0 : overlaps[read];
  }
}

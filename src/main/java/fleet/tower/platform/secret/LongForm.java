package fleet.tower.platform.secret;

import org.jspecify.annotations.Nullable;

/**
 * A form that is found by its prefix and then compared byte by byte with the Knuth-Morris-Pratt algorithm: after a
 * mismatch, a later start may still match, because the form overlaps with itself. Only overlaps as long as the prefix
 * matter here, because shorter ones are found by the automaton again. Few forms have such an overlap, and the others
 * keep no table.
 */
final class LongForm {
  private final byte[] form;
  private final int depth;
  private final int nextAlike;
  private final int @Nullable [] overlaps;

  /**
   * @param depth the length of the prefix by which the form is found
   * @param nextAlike the next form with the same prefix, or 0
   */
  LongForm(byte[] form, int depth, int nextAlike) {
    this.form = form;
    this.depth = depth;
    this.nextAlike = nextAlike;
    this.overlaps = overlaps(form, depth);
  }

  /** For each length: the longest proper suffix of that many bytes that is a prefix of the form. */
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

  /** The matched length after one more byte; 0 if it is less than the prefix. */
  int next(int read, byte next) {
    int left = read;
    while (left >= depth && (left == form.length || form[left] != next)) {
      left = overlap(left);
    }
    return left >= depth ? left + 1 : 0;
  }

  /** The length of the form if it was read completely, else 0. */
  int matched(int read) {
    return read == form.length ? read : 0;
  }

  /** The number of the last bytes that may be an incomplete match. */
  int open(int read) {
    return read < form.length ? read : overlap(read);
  }

  private int overlap(int read) {
    return overlaps == null ? 0 : overlaps[read];
  }
}

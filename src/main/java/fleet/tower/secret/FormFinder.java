package fleet.tower.secret;

import java.util.Arrays;
import java.util.Collection;

/**
 * Finds many forms in bytes in one pass: the automaton of Aho and Corasick. A state is the longest end of what was read that
 * begins a form. Children are kept as lists, for nearly every state has one: so it is small, and the start has a table.
 */
final class FormFinder {
  static final int START = 0;
  static final FormFinder EMPTY = new FormFinder(new byte[0][]);

  private final int[] startTable = new int[256];
  private final int[] firstChild;
  private final int[] sibling;
  private final byte[] label;
  private final int[] fail;
  private final int[] matched;
  private final int[] open;
  private int states = 1;

  FormFinder(Collection<byte[]> forms) {
    this(forms.toArray(byte[][]::new));
  }

  private FormFinder(byte[][] forms) {
    int most = 1 + Arrays.stream(forms).mapToInt(form -> form.length).sum();
    firstChild = new int[most];
    sibling = new int[most];
    label = new byte[most];
    fail = new int[most];
    matched = new int[most];
    open = new int[most];
    for (byte[] form : forms) {
      add(form);
    }
    link();
  }

  boolean isEmpty() {
    return states == 1;
  }

  private void add(byte[] form) {
    int state = START;
    for (byte next : form) {
      int child = child(state, next);
      if (child == START) {
        child = states++;
        label[child] = next;
        sibling[child] = firstChild[state];
        firstChild[state] = child;
        if (state == START) {
          startTable[next & 0xff] = child;
        }
      }
      state = child;
    }
    matched[state] = form.length;
  }

  /** Breadth first, so that what is shorter is linked already. */
  private void link() {
    int[] queue = new int[states];
    int[] depth = new int[states];
    int end = 1;
    for (int begin = 0; begin < end; begin++) {
      int state = queue[begin];
      for (int child = firstChild[state]; child != START; child = sibling[child]) {
        queue[end++] = child;
        depth[child] = depth[state] + 1;
        fail[child] = state == START ? START : next(fail[state], label[child]);
      }
      if (state != START) {
        matched[state] = Math.max(matched[state], matched[fail[state]]);
        open[state] = firstChild[state] != START ? depth[state] : open[fail[state]];
      }
    }
  }

  private int child(int state, byte next) {
    if (state == START) {
      return startTable[next & 0xff];
    }
    int child = firstChild[state];
    while (child != START && label[child] != next) {
      child = sibling[child];
    }
    return child;
  }

  /** The state after one more byte. */
  int next(int from, byte next) {
    int state = from;
    for (;;) {
      int child = child(state, next);
      if (child != START || state == START) {
        return child;
      }
      state = fail[state];
    }
  }

  /** From the start: the first byte that begins a form. */
  int skip(byte[] bytes, int from, int end) {
    int i = from;
    while (i < end && startTable[bytes[i] & 0xff] == START) {
      i++;
    }
    return i;
  }

  /** How long the longest form is that ends here; 0 for none. */
  int matched(int state) {
    return matched[state];
  }

  /** How many of the last bytes may be the beginning of a form that is not complete. */
  int open(int state) {
    return open[state];
  }
}

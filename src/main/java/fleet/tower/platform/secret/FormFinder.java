package fleet.tower.platform.secret;

import java.util.Arrays;
import java.util.Collection;

/**
 * Finds many forms in bytes in one pass. The prefixes of forms are in an Aho-Corasick automaton: a state is the
 * longest suffix of the input that is a prefix of a form. The rest of a long form is compared with the form itself by
 * {@link LongForm}. So memory is little more than the forms take: a state takes dozens of bytes, and a long secret
 * has dozens of forms of its length.
 */
final class FormFinder {
  private static final int START = 0;
  static final FormFinder EMPTY = new FormFinder(new byte[0][]);
  /** The minimum length of each form in the automaton. */
  private static final int MIN_PREFIX = 12;
  /** The maximum number of forms with the same prefix in the automaton, because all of them are compared at once. */
  private static final int MAX_SAME_PREFIX = 8;

  private final int[] startTable = new int[256];
  private final int[] firstChild;
  private final int[] sibling;
  private final byte[] label;
  private final int[] fail;
  private final int[] matched;
  private final int[] open;
  /** The longest suffix of the input with which a long form begins: a state, or the start for none. */
  private final int[] begun;
  /** The first long form whose prefix leads to a state, or 0 for none. */
  private final int[] first;
  private final LongForm[] longForms;
  private int states = 1;

  FormFinder(Collection<byte[]> forms) {
    this(forms.toArray(byte[][]::new));
  }

  private FormFinder(byte[][] forms) {
    Arrays.sort(forms, Arrays::compareUnsigned);
    int[] depths = depths(forms);
    int most = 1 + nodes(forms, depths);
    firstChild = new int[most];
    sibling = new int[most];
    label = new byte[most];
    fail = new int[most];
    matched = new int[most];
    open = new int[most];
    begun = new int[most];
    first = new int[most];
    longForms = add(forms, depths);
    link();
  }

  /** The length of each sorted form in the automaton. */
  private static int[] depths(byte[][] forms) {
    int[] depths = new int[forms.length];
    Arrays.fill(depths, MIN_PREFIX);
    for (int i = 0; i + MAX_SAME_PREFIX < forms.length; i++) {
      int common = common(forms[i], forms[i + MAX_SAME_PREFIX]);
      for (int alike = i; alike <= i + MAX_SAME_PREFIX; alike++) {
        depths[alike] = Math.max(depths[alike], common + 1);
      }
    }
    for (int i = 0; i < forms.length; i++) {
      depths[i] = Math.min(depths[i], forms[i].length);
    }
    return depths;
  }

  private static int nodes(byte[][] forms, int[] depths) {
    int nodes = 0;
    for (int i = 0; i < forms.length; i++) {
      int shared = i == 0 ? 0 : Math.min(depths[i - 1], common(forms[i - 1], forms[i]));
      nodes += Math.max(0, depths[i] - shared);
    }
    return nodes;
  }

  private static int common(byte[] one, byte[] other) {
    int mismatch = Arrays.mismatch(one, other);
    return mismatch < 0 ? one.length : mismatch;
  }

  boolean isEmpty() {
    return states == 1;
  }

  /** Adds all forms; long forms are indexed from 1. */
  private LongForm[] add(byte[][] forms, int[] depths) {
    LongForm[] found = new LongForm[forms.length + 1];
    int count = 1;
    for (int i = 0; i < forms.length; i++) {
      int state = add(forms[i], depths[i]);
      if (depths[i] == forms[i].length) {
        matched[state] = depths[i];
      } else {
        found[count] = new LongForm(forms[i], depths[i], first[state]);
        first[state] = count++;
      }
    }
    return Arrays.copyOf(found, count);
  }

  private int add(byte[] form, int depth) {
    int state = START;
    for (int i = 0; i < depth; i++) {
      byte next = form[i];
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
    return state;
  }

  /** Links the states breadth first, so that shorter ones are linked already. */
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
        begun[state] = first[state] != 0 ? state : begun[fail[state]];
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

  /** The state after the next byte. */
  private int next(int from, byte next) {
    int state = from;
    for (;;) {
      int child = child(state, next);
      if (child != START || state == START) {
        return child;
      }
      state = fail[state];
    }
  }

  /** In the start state: the index of the first byte that begins a form. */
  private int skip(byte[] bytes, int from, int end) {
    int i = from;
    while (i < end && startTable[bytes[i] & 0xff] == START) {
      i++;
    }
    return i;
  }

  /** Starts a scan. */
  Scan read() {
    return new Scan();
  }

  /** The state of the scan of one text. */
  final class Scan {
    private static final int[] NONE = new int[0];

    private int state;
    /** The long forms whose prefixes were read, and how much of each; by their index. */
    private int[] running = NONE;
    private int[] read = NONE;
    private int count;

    /** The index of the next byte that can begin a form; in the middle of a form, {@code from} itself. */
    int skip(byte[] bytes, int from, int end) {
      return state == START && count == 0 ? FormFinder.this.skip(bytes, from, end) : from;
    }

    /** Reads a byte; returns the length of the longest form that ends there, or 0. */
    int next(byte next) {
      int longest = advance(next);
      state = FormFinder.this.next(state, next);
      for (int at = begun[state]; at != START; at = begun[fail[at]]) {
        for (int form = first[at]; form != 0; form = longForms[form].nextAlike()) {
          begin(form);
        }
      }
      return Math.max(longest, matched[state]);
    }

    private int advance(byte next) {
      int longest = 0;
      int left = 0;
      for (int i = 0; i < count; i++) {
        int form = running[i];
        read[form] = longForms[form].next(read[form], next);
        if (read[form] > 0) {
          running[left++] = form;
          longest = Math.max(longest, longForms[form].matched(read[form]));
        }
      }
      count = left;
      return longest;
    }

    /** Starts comparing a long form. One that is already running is further ahead and handles overlaps itself. */
    private void begin(int form) {
      if (read.length == 0) {
        read = new int[longForms.length];
        running = new int[longForms.length];
      }
      if (read[form] == 0) {
        read[form] = longForms[form].depth();
        running[count++] = form;
      }
    }

    /** The number of the last bytes that may be an incomplete form. */
    int open() {
      int most = open[state];
      for (int i = 0; i < count; i++) {
        most = Math.max(most, longForms[running[i]].open(read[running[i]]));
      }
      return most;
    }

    /** Resets the state for another text. */
    void restart() {
      state = START;
      count = 0;
      Arrays.fill(read, 0);
    }
  }
}

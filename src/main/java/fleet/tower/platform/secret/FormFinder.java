package fleet.tower.platform.secret;

import java.util.Arrays;
import java.util.Collection;

/**
 * Finds many forms in bytes in one pass. The beginnings of forms are in the automaton of Aho and Corasick: a state is the longest
 * end of what was read that begins a form. The rest of a long form is compared with the form itself: {@link LongForm}. So memory
 * is little more than the forms take: a state takes dozens of bytes, and a long secret has dozens of forms that are as long as it.
 */
final class FormFinder {
  private static final int START = 0;
  static final FormFinder EMPTY = new FormFinder(new byte[0][]);
  /** So much of each form is in the automaton at least. */
  private static final int SHORTEST_BEGINNING = 12;
  /** And so much more that no more than these begin alike, because all that do are compared at the same time. */
  private static final int MOST_ALIKE = 8;

  private final int[] startTable = new int[256];
  private final int[] firstChild;
  private final int[] sibling;
  private final byte[] label;
  private final int[] fail;
  private final int[] matched;
  private final int[] open;
  /** The longest end of what was read with which a long form begins: a state, or the start for none. */
  private final int[] begun;
  /** The first of the long forms that begin with what leads to a state, or none. */
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

  /** How much of each of the sorted forms is in the automaton. */
  private static int[] depths(byte[][] forms) {
    int[] depths = new int[forms.length];
    Arrays.fill(depths, SHORTEST_BEGINNING);
    for (int i = 0; i + MOST_ALIKE < forms.length; i++) {
      int common = common(forms[i], forms[i + MOST_ALIKE]);
      for (int alike = i; alike <= i + MOST_ALIKE; alike++) {
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

  /** Those that are in the automaton in part have their index from 1 on. */
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

  /** The state after one more byte. */
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

  /** From the start: the first byte that begins a form. */
  private int skip(byte[] bytes, int from, int end) {
    int i = from;
    while (i < end && startTable[bytes[i] & 0xff] == START) {
      i++;
    }
    return i;
  }

  /** Begins to read. */
  Reading read() {
    return new Reading();
  }

  /** What was read of one text so far. */
  final class Reading {
    private static final int[] NONE = new int[0];

    private int state;
    /** The long forms whose beginnings were read, and how much of each was; by their index. */
    private int[] running = NONE;
    private int[] read = NONE;
    private int count;

    /** Where the first byte is that can begin a form, from a place on; the place itself in the middle of one. */
    int skip(byte[] bytes, int from, int end) {
      return state == START && count == 0 ? FormFinder.this.skip(bytes, from, end) : from;
    }

    /** Reads a byte. How long the longest form is that ends there; 0 for none. */
    int next(byte next) {
      int longest = goOn(next);
      state = FormFinder.this.next(state, next);
      for (int at = begun[state]; at != START; at = begun[fail[at]]) {
        for (int form = first[at]; form != 0; form = longForms[form].nextAlike()) {
          begin(form);
        }
      }
      return Math.max(longest, matched[state]);
    }

    private int goOn(byte next) {
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

    /** One that is running is further already, and knows what to go back to. */
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

    /** How many of the last bytes may be the beginning of a form that is not complete. */
    int open() {
      int most = open[state];
      for (int i = 0; i < count; i++) {
        most = Math.max(most, longForms[running[i]].open(read[running[i]]));
      }
      return most;
    }

    /** What comes afterwards is another text. */
    void restart() {
      state = START;
      count = 0;
      Arrays.fill(read, 0);
    }
  }
}

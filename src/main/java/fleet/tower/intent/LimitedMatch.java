package fleet.tower.intent;

import java.util.regex.Pattern;

/** Matches texts against patterns with a limited number of reads: some patterns backtrack for centuries. */
final class LimitedMatch {
  private int readsLeft;

  /** @param reads how many characters may be read for all texts together */
  LimitedMatch(int reads) {
    this.readsLeft = reads;
  }

  /** The result of a match. */
  enum Outcome {
    MATCHES, DIFFERS, TAKES_TOO_LONG
  }

  /** Whether a whole text matches. */
  Outcome of(Pattern pattern, String text) {
    try {
      return pattern.matcher(new LimitedText(text)).matches() ? Outcome.MATCHES : Outcome.DIFFERS;
    } catch (ReadLimitExceeded | StackOverflowError e) {
      return Outcome.TAKES_TOO_LONG;
    }
  }

  /** A text whose characters are counted as they are read. */
  private final class LimitedText implements CharSequence {
    private final String text;

    LimitedText(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if (readsLeft == 0) {
        throw new ReadLimitExceeded();
      }
      readsLeft--;
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Thrown when a pattern has read too many characters. */
  private static final class ReadLimitExceeded extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReadLimitExceeded() {
      super("a pattern reads too many characters", null, false, false);
    }
  }
}

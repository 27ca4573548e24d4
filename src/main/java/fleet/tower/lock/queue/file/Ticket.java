package fleet.tower.lock.queue.file;

import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * The file name of a waiter. It orders the waiters and is never reused.
 *
 * @param sequence one more than that of the last waiter before; simultaneous waiters may share one
 *
 * @param process the waiter's process
 *
 * @param counter distinguishes the tickets of a process
 */
record Ticket(long sequence, String process, long counter) implements Comparable<Ticket> {
  static final long LAST_SEQUENCE = 9_999_999_999_999_999L;
  private static final int SEQUENCE_DIGITS = 16;
  private static final int MAX_PROCESS_LETTERS = 64;
  private static final int MAX_COUNTER_DIGITS = 18;
  private static final Comparator<Ticket> ORDER = Comparator.comparingLong(Ticket::sequence)
      .thenComparing(Ticket::process).thenComparingLong(Ticket::counter);

  /** Parses a file name. No regular expression: short-lived processes read queues, and run them interpreted. */
  static Optional<Ticket> of(String file) {
    int last = file.lastIndexOf('-');
    int processLetters = last - SEQUENCE_DIGITS - 1;
    int counterDigits = file.length() - last - 1;
    if (processLetters < 1 || processLetters > MAX_PROCESS_LETTERS || counterDigits < 1
        || counterDigits > MAX_COUNTER_DIGITS || file.charAt(SEQUENCE_DIGITS) != '-'
        || !isOf(file, 0, SEQUENCE_DIGITS, false) || !isOf(file, SEQUENCE_DIGITS + 1, last, true)
        || !isOf(file, last + 1, file.length(), false)) {
      return Optional.empty();
    }
    return Optional.of(new Ticket(Long.parseLong(file, 0, SEQUENCE_DIGITS, 10),
        file.substring(SEQUENCE_DIGITS + 1, last), Long.parseLong(file, last + 1, file.length(), 10)));
  }

  /** Whether a part consists of digits, or of digits and lower-case letters. */
  private static boolean isOf(String file, int begin, int end, boolean letters) {
    for (int i = begin; i < end; i++) {
      char c = file.charAt(i);
      if ((c < '0' || c > '9') && !(letters && c >= 'a' && c <= 'z')) {
        return false;
      }
    }
    return true;
  }

  String file() {
    return String.format(Locale.ROOT, "%016d-%s-%d", sequence, process, counter);
  }

  @Override
  public int compareTo(Ticket other) {
    return ORDER.compare(this, other);
  }
}

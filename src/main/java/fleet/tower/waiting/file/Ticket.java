package fleet.tower.waiting.file;

import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a waiter's file, which orders it among the others and is never used again.
 *
 * @param sequence one more than that of the last who came before; those who come in the same moment may have the same
 * @param process whose waiter it is
 * @param counter counts the tickets of a process
 */
record Ticket(long sequence, String process, long counter) implements Comparable<Ticket> {
  static final long LAST_SEQUENCE = 9_999_999_999_999_999L;
  private static final Pattern FORM = Pattern.compile("(\\d{16})-([0-9a-z]{1,64})-(\\d{1,18})");
  private static final Comparator<Ticket> ORDER = Comparator.comparingLong(Ticket::sequence)
      .thenComparing(Ticket::process).thenComparingLong(Ticket::counter);

  /** The ticket that a file is, if it is one. */
  static Optional<Ticket> of(String file) {
    Matcher form = FORM.matcher(file);
    return form.matches()
        ? Optional.of(new Ticket(Long.parseLong(form.group(1)), form.group(2), Long.parseLong(form.group(3))))
        : Optional.empty();
  }

  String file() {
    return String.format(Locale.ROOT, "%016d-%s-%d", sequence, process, counter);
  }

  @Override
  public int compareTo(Ticket other) {
    return ORDER.compare(this, other);
  }
}

package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.audit.AuditDays;

/** The files of the log, one per day; their names sort by day. */
record DayFiles(Path directory) implements AuditDays {
  private static final String DAY = "\\d{4}-\\d{2}-\\d{2}";
  private static final Pattern NAME = Pattern.compile("audit-" + DAY + "\\.jsonl");

  /** The UTC day of a moment. */
  static LocalDate dayOf(Instant moment) {
    return LocalDate.ofInstant(moment, ZoneOffset.UTC);
  }

  /** The file of the UTC day of a moment. */
  Path of(Instant moment) {
    return of(dayOf(moment));
  }

  Path of(LocalDate day) {
    return directory.resolve("audit-" + DateTimeFormatter.ISO_LOCAL_DATE.format(day) + ".jsonl");
  }

  /** The day in the name of a file. */
  static String dayOf(Path file) {
    String name = file.getFileName().toString();
    return name.substring("audit-".length(), name.length() - ".jsonl".length());
  }

  /** Whether a text has the form of a day in the name of a file. */
  static boolean isDay(String text) {
    return text.matches(DAY);
  }

  /** All files, the oldest first. */
  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> NAME.matcher(file.getFileName().toString()).matches()).sorted().toList();
    } catch (NoSuchFileException nothingYet) {
      return List.of();
    }
  }

  /** The files that may contain events from {@code since} on. */
  List<Path> since(Instant since) throws IOException {
    String first = of(since).getFileName().toString();
    return files().stream().filter(file -> file.getFileName().toString().compareTo(first) >= 0).toList();
  }

  /** All days; files named after an impossible date are ignored, so that they are never deleted. */
  @Override
  public List<LocalDate> all() {
    try {
      List<LocalDate> all = new ArrayList<>();
      for (Path file : files()) {
        try {
          all.add(LocalDate.parse(dayOf(file)));
        } catch (DateTimeException notOnTheCalendar) {
          // Not created by this program.
        }
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void remove(LocalDate day) {
    try {
      Files.deleteIfExists(of(day));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

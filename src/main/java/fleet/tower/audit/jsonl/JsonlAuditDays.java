package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.audit.AuditDays;

/** The day files as days. One whose name says no day of the calendar is nobody's to remove. */
record JsonlAuditDays(DayFiles days) implements AuditDays {

  @Override
  public List<LocalDate> all() {
    try {
      List<LocalDate> all = new ArrayList<>();
      for (Path file : days.all()) {
        try {
          all.add(LocalDate.parse(DayFiles.dayOf(file)));
        } catch (DateTimeException notOnTheCalendar) {
          // Somebody made it by hand.
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
      Files.deleteIfExists(days.of(day));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package fleet.tower.lock;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.function.Supplier;

class ReadsClocks {
  Supplier<LocalDate> today = LocalDate::now;

  List<Object> now() {
    return List.of(Instant.now(), Clock.systemUTC(), InstantSource.system(), System.currentTimeMillis(),
        System.nanoTime(), new Date(), Calendar.getInstance());
  }

  Date given(long millis) {
    return new Date(millis);
  }
}

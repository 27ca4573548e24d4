package fleet.tower.service.call.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.service.call.overview.OverviewSignals.Changes;

@DisplayName("How often the overview reads its sources")
class OverviewLookTest {
  private static final Changes ANY = new Changes(true, Set.of());
  private final ManualTime time = new ManualTime("2026-01-31T08:00:00Z");

  /** A source with one row, the number of its reads, that takes a while to read. */
  private final class Slow implements OverviewSource {
    private final String section;
    private final Duration cost;
    private final List<String> refreshed = new ArrayList<>();
    private Duration spent = Duration.ZERO;
    private int reads;
    private RuntimeException failure = new IllegalStateException("works");
    private boolean isBroken;

    Slow(String section, Duration cost) {
      this.section = section;
      this.cost = cost;
    }

    @Override
    public List<String> sections() {
      return List.of(section);
    }

    @Override
    public Rows read() {
      reads++;
      spent = spent.plus(cost);
      time.advance(cost);
      if (isBroken) {
        throw failure;
      }
      Builder rows = Rows.of(sections());
      rows.put(section, "n", JsonWriter.line().put("reads", reads));
      return rows.build();
    }

    @Override
    public Rows refresh(Rows last, Set<LeaseName> locks) {
      locks.forEach(name -> refreshed.add(name.value()));
      return last;
    }

    void fail(RuntimeException with) {
      failure = with;
      isBroken = true;
    }
  }

  /** Looks for a while, as often as something is due, at signals every 10 ms. */
  private void during(Duration whole, OverviewLook look, Changes changes) {
    long end = time.nanos() + whole.toNanos();
    while (time.nanos() < end) {
      look.look(changes);
      time.advance(Duration.ofMillis(10));
    }
  }

  @Test
  @DisplayName("A cheap source is read every second, and after signals at most five times a second")
  void cheap() {
    Slow locks = new Slow("locks", Duration.ofNanos(100_000));
    OverviewLook look = new OverviewLook(List.of(locks), time);

    during(Duration.ofSeconds(10), look, Changes.NONE);
    assertThat(locks.reads).isBetween(9, 11);
    int quiet = locks.reads;
    during(Duration.ofSeconds(10), look, ANY);
    assertThat(locks.reads - quiet).isBetween(45, 51);
  }

  @Test
  @DisplayName("Expensive sources take at most a twentieth of the time, whatever the signals; cheap ones continue")
  void expensive() {
    Slow locks = new Slow("locks", Duration.ofMillis(400));
    Slow runs = new Slow("runs", Duration.ofMillis(1));
    Slow tasks = new Slow("tasks", Duration.ofMillis(60));
    OverviewLook look = new OverviewLook(List.of(locks, runs, tasks), time);
    during(Duration.ofSeconds(5), look, ANY);
    locks.spent = Duration.ZERO;
    tasks.spent = Duration.ZERO;
    int before = runs.reads;

    Duration whole = Duration.ofMinutes(10);
    during(whole, look, ANY);

    assertThat(locks.spent.plus(tasks.spent).plus(Duration.ofMillis(runs.reads - before)))
        .isBetween(whole.dividedBy(40), whole.dividedBy(20).plusMillis(400));
    assertThat(runs.reads - before).isGreaterThan(600);
  }

  @Test
  @DisplayName("One slow read, such as the first, does not make a source expensive")
  void first() {
    Slow locks = new Slow("locks", Duration.ofMillis(1));
    OverviewLook look = new OverviewLook(List.of(locks), time);
    time.advance(Duration.ofSeconds(1));

    look.lookAtAll();
    assertThat(look.untilDue()).isEqualTo(Duration.ofMillis(999));
  }

  @Test
  @DisplayName("Between reads of an expensive source, the locks of signals are refreshed")
  void refreshed() {
    Slow locks = new Slow("locks", Duration.ofMillis(400));
    OverviewLook look = new OverviewLook(List.of(locks), time);
    look.lookAtAll();
    look.lookAtAll();

    time.advance(Duration.ofSeconds(1));
    look.look(new Changes(true, Set.of(new LeaseName("a"))));

    assertThat(locks.reads).isEqualTo(2);
    assertThat(locks.refreshed).containsExactly("a");
  }

  @Test
  @DisplayName("A source that cannot be read keeps its rows, with its problem; the timestamp is that of the other "
      + "sources")
  void broken() {
    Slow locks = new Slow("locks", Duration.ZERO);
    Slow runs = new Slow("runs", Duration.ZERO);
    OverviewLook look = new OverviewLook(List.of(locks, runs), time);
    look.lookAtAll();
    locks.fail(new StorageException("disk /secret is gone", "the disk is gone", new IOException("EIO")));
    time.advance(Duration.ofSeconds(2));

    OverviewState state = look.look(Changes.NONE);
    assertThat(state.news().end()).isEqualTo("""
        {"as_of":"2026-01-31T08:00:02Z","problem":"the disk is gone","sections":["locks"]}""");
    assertThat(state.sections().toString()).isEqualTo("{locks={n={\"reads\":1}}, runs={n={\"reads\":2}}}");

    runs.fail(new UncheckedIOException("no runs", new IOException("EIO")));
    time.advance(Duration.ofSeconds(2));
    assertThat(look.look(Changes.NONE).news().end()).isEqualTo("""
        {"as_of":"2026-01-31T08:00:00Z","problem":"no runs; the disk is gone","sections":["locks","runs"]}""");

    locks.isBroken = false;
    runs.isBroken = false;
    time.advance(Duration.ofSeconds(2));
    assertThat(look.look(Changes.NONE).news().end()).isEqualTo("{\"as_of\":\"2026-01-31T08:00:06Z\"}");
  }

  @Test
  @DisplayName("A section with too many rows is truncated, and says so")
  void cut() {
    OverviewSource.Builder rows = OverviewSource.Rows.of(List.of("locks"));
    for (int i = 0; i <= OverviewSource.Rows.LIMIT; i++) {
      rows.put("locks", "l" + i, JsonWriter.line());
    }
    OverviewSource.Rows built = rows.build();

    assertThat(built.sections().get("locks")).hasSize(OverviewSource.Rows.LIMIT);
    assertThat(built.truncated()).containsExactly("locks");
  }
}

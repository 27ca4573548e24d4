package fleet.tower.run;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/**
 * What the probe of a run's intent saw.
 *
 * @param before under the lock, before the first step; null if it did not look then
 * @param after after the last step; null if it did not look then
 * @param unchanged whether the state was as desired, so that the run did nothing
 * @param settled what became of a run whose end nobody saw; null if nobody asked, or its end is known
 */
public record Probed(@Nullable Observation before, @Nullable Observation after, boolean unchanged,
    @Nullable Settled settled) {
  public static final Probed NOTHING = new Probed(null, null, false, null);

  /** What became of a run whose end nobody saw. */
  public enum Settled {
    /** The desired state holds. */
    APPLIED("applied"),
    /** The state is that before the run. */
    NOT_APPLIED("not_applied"),
    /** Neither is certain. */
    UNKNOWN("unknown");

    private final String word;

    Settled(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }

    static Optional<Settled> of(String word) {
      for (Settled settled : values()) {
        if (settled.word.equals(word)) {
          return Optional.of(settled);
        }
      }
      return Optional.empty();
    }
  }

  public Probed seenBefore(Observation seen) {
    return new Probed(seen, after, unchanged, settled);
  }

  public Probed seenAfter(Observation seen) {
    return new Probed(before, seen, unchanged, settled);
  }

  public Probed asUnchanged() {
    return new Probed(before, after, true, settled);
  }

  public Probed as(Settled answer) {
    return new Probed(before, after, unchanged, answer);
  }

  /** Its members in the JSON of a run; none if the probe did not look. */
  public JsonWriter members() {
    JsonWriter json = JsonWriter.line();
    if (before != null || after != null) {
      json.put("probe", JsonWriter.line().put("before", before == null ? null : before.json())
          .put("after", after == null ? null : after.json()));
    }
    if (unchanged) {
      json.put("unchanged", true);
    }
    return settled == null ? json : json.put("settled", settled.toString());
  }

  /** Reads the members of a run. */
  public static Probed read(JsonObject run) {
    Optional<JsonObject> probe = run.object("probe");
    return new Probed(probe.flatMap(it -> it.object("before")).map(Observation::read).orElse(null),
        probe.flatMap(it -> it.object("after")).map(Observation::read).orElse(null), run.isTrue("unchanged"),
        run.text("settled").flatMap(Settled::of).orElse(null));
  }
}

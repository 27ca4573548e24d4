package fleet.tower.home.move;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/**
 * The state of a home's move, as the file of its {@link StoreMark} keeps it.
 *
 * @param id the id of the move, which the database it goes to also has
 * @param to the name of that database
 * @param since when this phase began
 */
public record MoveMark(String id, Phase phase, String to, Instant since) {
  static final String ID = "move_id";

  /** The phases in their order. Only the first and the last permit any work, and never on both sides. */
  public enum Phase {
    /** The home starts no new work. */
    DRAINING,
    /** The home changes nothing more; nothing was sent to the database. */
    FROZEN,
    /** The copy may have been committed. */
    COPYING,
    /** The move is being undone; its copy can no longer be committed. */
    UNDOING,
    /** The database has the home's state. */
    MOVED;

    private String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Reads the mark; empty if there is none. */
  static Optional<MoveMark> parse(JsonObject json) {
    Optional<Phase> phase = json.text("phase").flatMap(MoveMark::phase);
    Optional<Instant> since = json.text("since").flatMap(Timestamps::parse);
    return phase.isEmpty() || since.isEmpty()
        ? Optional.empty()
        : json.text(ID).flatMap(id -> json.text("to").map(to -> new MoveMark(id, phase.get(), to, since.get())));
  }

  private static Optional<Phase> phase(String text) {
    return Arrays.stream(Phase.values()).filter(phase -> phase.label().equals(text)).findFirst();
  }

  /** Adds the mark, and the message that other programs show. */
  JsonWriter describe(JsonWriter json) {
    return json.put(ID, id).put("phase", phase.label()).put("to", to).put("since", since).put("message", message());
  }

  /** The message of a command that this mark refuses. */
  public String message() {
    return switch (phase) {
      case MOVED -> "this home was moved to " + to + " on " + Timestamps.format(since)
          + "; set tower.database.url in config/application.yaml";
      case DRAINING -> "this home is about to move to " + to
          + " and starts no new work; wait for `tower move`, or run `tower move --undo`";
      case FROZEN, COPYING, UNDOING -> "this home is being moved to " + to + " since " + Timestamps.format(since)
          + "; run `tower move` again to finish, or `tower move --undo`";
    };
  }

  /** Whether a process with a database of the fleet, or with the home's own files, must not use the home. */
  public boolean refuses(boolean isFleet) {
    return switch (phase) {
      case DRAINING -> isFleet;
      case FROZEN, COPYING, UNDOING -> true;
      case MOVED -> !isFleet;
    };
  }

  MoveMark in(Phase next, Instant at) {
    return new MoveMark(id, next, to, at);
  }
}

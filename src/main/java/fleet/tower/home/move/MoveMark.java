package fleet.tower.home.move;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/**
 * The state of a home's move, as the file {@code state/moved} keeps it.
 *
 * @param id the id of the move, which the database it goes to also has
 * @param to the name of that database
 * @param since when this phase began
 */
public record MoveMark(String id, Phase phase, String to, Instant since) {
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

  /** Reads the mark's file; empty if it is damaged. */
  static Optional<MoveMark> parse(byte[] content) {
    try {
      JsonObject json = JsonReader.readObject(content);
      Optional<Phase> phase = json.text("phase").flatMap(MoveMark::phase);
      Optional<Instant> since = json.text("since").flatMap(Timestamps::parse);
      return phase.isEmpty() || since.isEmpty()
          ? Optional.empty()
          : json.text("move_id")
              .flatMap(id -> json.text("to").map(to -> new MoveMark(id, phase.get(), to, since.get())));
    } catch (JsonException damaged) {
      return Optional.empty();
    }
  }

  private static Optional<Phase> phase(String text) {
    return Arrays.stream(Phase.values()).filter(phase -> phase.label().equals(text)).findFirst();
  }

  /** The mark's file; other programs show its message. */
  String json() {
    return JsonWriter.block().put("move_id", id).put("phase", phase.label()).put("to", to)
        .put("since", since).put("message", message()).end() + "\n";
  }

  /** The message of a command that this mark refuses. */
  public String message() {
    return switch (phase) {
      case MOVED -> "this home was moved to " + to + " on " + Timestamps.format(since)
          + "; set TOWER_DATABASE_URL (or tower.database.url)";
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

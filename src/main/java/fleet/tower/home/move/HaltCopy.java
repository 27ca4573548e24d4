package fleet.tower.home.move;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltDocument;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Session;

/** Copies halts to the table of halts. From the commit on, every host of the fleet obeys them. */
record HaltCopy(Session target, Clocks clocks) {
  private static final String FIND = "SELECT name FROM halts WHERE name = ?";
  private static final String PUT = "INSERT INTO halts (name, document) VALUES (?, ?)";
  private static final String COUNT = "UPDATE halt_changes SET version = version + 1";

  /** Why a halt cannot be moved into the target; empty if it can. */
  static Optional<String> clash(Halt halt, Session target) throws SQLException {
    return target.first(FIND, row -> "halt " + halt.name() + ": the fleet has one of this name", halt.name());
  }

  void copy(List<Halt> halts) throws SQLException {
    if (!halts.isEmpty()) {
      target.update(COUNT);
    }
    for (Halt halt : halts) {
      Optional<String> clash = clash(halt, target);
      if (clash.isPresent()) {
        throw new StorageException(clash.get() + "; nothing was moved");
      }
      target.update(PUT, halt.name(), new String(HaltDocument.of(byServer(halt)), StandardCharsets.UTF_8));
    }
  }

  /** With the time that remains, by the server's clock. */
  private Halt byServer(Halt halt) {
    Instant createdAt = Instant.ofEpochSecond(Math.ceilDiv(clocks.fromWall(halt.createdAt().toEpochMilli()), 1000));
    return new Halt(halt.name(), halt.requestId(), halt.scope(), halt.level(), halt.actor(), halt.onBehalfOf(),
        halt.reason(), halt.ttl(), createdAt);
  }
}

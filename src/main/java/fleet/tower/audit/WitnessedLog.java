package fleet.tower.audit;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;

/** A log whose every event a witness sees too, once it stands there. */
public record WitnessedLog(AuditLog log, Consumer<AuditEvent> witness) implements AuditLog {
  public WitnessedLog {
    requireNonNull(log);
    requireNonNull(witness);
  }

  @Override
  public void append(AuditEvent event) {
    log.append(event);
    witness.accept(event);
  }
}

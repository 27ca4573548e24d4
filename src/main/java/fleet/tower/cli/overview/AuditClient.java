package fleet.tower.cli.overview;

import java.util.function.Consumer;

import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.text.Console;

/** The audit log of a home or of a service. */
public interface AuditClient {

  /** Reads the newest events of a query, oldest first, each as a JSON object on one line. */
  void read(AuditTrail.Query query, Consumer<String> lines);

  /** Prints new events of a query until the console is closed. */
  void follow(AuditTrail.Query query, Console console);
}

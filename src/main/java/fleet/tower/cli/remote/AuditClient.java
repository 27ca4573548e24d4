package fleet.tower.cli.remote;

import java.util.function.Consumer;

import fleet.tower.operation.Given;
import fleet.tower.platform.text.Console;

/** The audit log of a home or of a service. */
public interface AuditClient {

  /** Reads all events that are wanted, oldest first, each as a JSON object on one line. */
  void read(Given wanted, Consumer<String> lines);

  /** Prints matching new events until the console is closed. */
  void follow(Given wanted, Console console);
}

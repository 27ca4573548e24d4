package fleet.tower.cli.shell;

import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;

/** Sends operations to the home or the service of a command line, and returns their data; a refusal is thrown. */
@FunctionalInterface
public interface Asking {
  JsonObject ask(Operation operation, Given given);

  /** Asks for an operation without arguments. */
  default JsonObject ask(Operation operation) {
    return ask(operation, Given.NOTHING);
  }
}

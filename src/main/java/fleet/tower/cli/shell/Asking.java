package fleet.tower.cli.shell;

import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;

/** Asks for operations where a command line says, and returns the data of the answers; a refusal is thrown. */
@FunctionalInterface
public interface Asking {
  JsonObject ask(Operation operation, Given given);

  /** Asks for an operation without arguments. */
  default JsonObject ask(Operation operation) {
    return ask(operation, Given.NOTHING);
  }
}

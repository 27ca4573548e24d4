package fleet.tower.operation;

import java.util.Map;

import fleet.tower.access.Caller;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;

/** Checks that a caller's token allows an intent with its parameter values. */
public final class IntentRights {
  private IntentRights() {}

  /**
   * Throws if it does not. A parameter that is not given counts with its default. An unknown intent, or values that it
   * does not accept, are reported by the call itself.
   */
  public static void require(Caller caller, Catalogue catalogue, String intent, Map<String, Values.Given> given) {
    caller.requireIntent(intent);
    if (!caller.scope().limitsOf(intent).isEmpty()) {
      catalogue.find(intent).map(found -> Values.read(found.params(), given)).ifPresent(read -> {
        if (read instanceof Values.Accepted(Values values)) {
          caller.requireIntent(intent, values.texts());
        }
      });
    }
  }
}

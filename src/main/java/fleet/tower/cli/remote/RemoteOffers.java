package fleet.tower.cli.remote;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import fleet.tower.cli.prime.Offer;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.json.JsonObject;
import fleet.tower.json.JsonValue;

/** The intents that a service offers. */
public final class RemoteOffers {
  private RemoteOffers() {}

  /** Those of the service which the command line means, if it means one. */
  public static Optional<List<Offer>> of(Servers servers, Arguments arguments) {
    return servers.of(arguments).map(server -> {
      List<Offer> offers = new ArrayList<>();
      for (JsonValue intent : items(server.get("/intents").json(), "intents")) {
        if (intent instanceof JsonObject json) {
          offers.add(offer(json));
        }
      }
      return offers;
    });
  }

  private static Offer offer(JsonObject json) {
    List<Offer.Param> params = new ArrayList<>();
    json.object("params").ifPresent(schema -> {
      Set<String> required = new HashSet<>();
      items(schema, "required").forEach(name -> required.add(name instanceof JsonValue.Text text ? text.value() : ""));
      schema.object("properties").ifPresent(properties -> properties.members().forEach((name, value) -> params
          .add(new Offer.Param(name, required.contains(name),
              value instanceof JsonObject param && LockReader.isTrue(param, "writeOnly")))));
    });
    return new Offer(json.text("name").orElse("?"), json.text("mode").orElse("?"),
        json.text("description").orElse(""), json.text("lock").orElse(null), params);
  }

  private static List<? extends JsonValue> items(JsonObject json, String key) {
    return json.get(key) instanceof JsonValue.Items items ? items.values() : List.of();
  }
}

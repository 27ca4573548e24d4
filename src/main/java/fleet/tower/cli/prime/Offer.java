package fleet.tower.cli.prime;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;

/**
 * An intent that the caller may run.
 *
 * @param lock the template of its lock; null if it takes none
 */
public record Offer(String name, String mode, String description, @Nullable String lock, List<Param> params) {
  public Offer {
    params = List.copyOf(params);
  }

  /** One parameter. */
  public record Param(String name, boolean required, boolean secret) {}

  /** Reads the list of intents of a home or a service. */
  static List<Offer> all(JsonObject intents) {
    return intents.objects("intents").stream().map(Offer::of).toList();
  }

  private static Offer of(JsonObject intent) {
    List<Param> params = new ArrayList<>();
    intent.object("params").ifPresent(schema -> {
      Set<String> required = Set.copyOf(schema.texts("required"));
      schema.object("properties").ifPresent(properties -> properties.members().forEach(
          (name, param) -> params.add(new Param(name, required.contains(name), isWriteOnly(param)))));
    });
    return new Offer(intent.text("name").orElse("?"), intent.text("mode").orElse("?"),
        intent.text("description").orElse(""), intent.text("lock").orElse(null), params);
  }

  private static boolean isWriteOnly(JsonValue param) {
    return param instanceof JsonObject json && json.get("writeOnly") instanceof JsonValue.Bool bool && bool.value();
  }

  /** The command that runs it; secrets are given in a file, because `ps` shows arguments. */
  String command() {
    String words = params.stream().filter(it -> !it.secret())
        .map(it -> it.required() ? " -p " + it.name() + "=…" : " [-p " + it.name() + "=…]")
        .collect(Collectors.joining());
    String secrets = params.stream().filter(Param::secret).map(Param::name).collect(Collectors.joining(", "));
    return "tower run " + name + words + (secrets.isEmpty() ? "" : " --params-file FILE (with " + secrets + ")");
  }
}

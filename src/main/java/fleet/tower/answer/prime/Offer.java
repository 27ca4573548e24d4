package fleet.tower.answer.prime;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;

/**
 * An intent of the catalogue.
 *
 * @param lock the template of its lock; null if it takes none
 */
public record Offer(String name, String mode, String description, @Nullable String lock, List<Param> params) {
  public Offer {
    params = List.copyOf(params);
  }

  /**
   * One parameter.
   *
   * @param facts its type, whether it is required, its allowed values and its default
   */
  public record Param(String name, boolean required, boolean secret, List<String> facts) {
    public Param {
      facts = List.copyOf(facts);
    }

    @Override
    public String toString() {
      return name + " (" + String.join(", ", facts) + ")";
    }
  }

  /** Reads the list of intents of a home or a service. */
  static List<Offer> all(JsonObject intents) {
    return intents.objects("intents").stream().map(Offer::of).toList();
  }

  private static Offer of(JsonObject intent) {
    List<Param> params = new ArrayList<>();
    intent.object("params").ifPresent(schema -> {
      Set<String> required = Set.copyOf(schema.texts("required"));
      schema.object("properties").ifPresent(properties -> properties.members().forEach((name, param) -> {
        if (param instanceof JsonObject json) {
          params.add(param(name, required.contains(name), json));
        }
      }));
    });
    return new Offer(intent.text("name").orElse("?"), intent.text("mode").orElse("?"),
        intent.text("description").orElse(""), intent.text("lock").orElse(null), params);
  }

  private static Param param(String name, boolean required, JsonObject json) {
    boolean secret = json.isTrue("writeOnly");
    List<String> facts = new ArrayList<>(List.of(json.text("type").orElse("string")));
    if (required) {
      facts.add("required");
    }
    if (secret) {
      facts.add("secret");
    }
    if (json.get("enum") instanceof JsonValue.Items items) {
      facts.add("one of " + items.values().stream().map(json::raw).map(Offer::bare).collect(Collectors.joining(" ")));
    }
    json.text("pattern").map(pattern -> pattern.replaceFirst("^\\^\\(\\?:(.*)\\)\\$$", "$1"))
        .ifPresent(pattern -> facts.add("matches " + pattern));
    fact(json, "minimum", "at least ").ifPresent(facts::add);
    fact(json, "maximum", "at most ").ifPresent(facts::add);
    if (!secret) {
      fact(json, "default", "default ").ifPresent(facts::add);
    }
    return new Param(name, required, secret, facts);
  }

  private static Optional<String> fact(JsonObject json, String key, String words) {
    JsonValue value = json.get(key);
    return value == null ? Optional.empty() : Optional.of(words + bare(json.raw(value)));
  }

  /** A JSON value without the quotes of a plain text. */
  private static String bare(String raw) {
    return raw.matches("\"[^\"\\\\\\s]+\"") ? raw.substring(1, raw.length() - 1) : raw;
  }

  /** A command about it with its required parameters; secrets are given in a file, because `ps` shows arguments. */
  String command(String verb) {
    String words = params.stream().filter(it -> it.required() && !it.secret())
        .map(it -> " -p " + it.name() + "=" + it.name().toUpperCase(Locale.ROOT)).collect(Collectors.joining());
    return "tower " + verb + " " + name + words
        + (params.stream().anyMatch(Param::secret) ? " --params-file FILE" : "");
  }

  /** Its parameters in words; empty if it has none. */
  String parameters() {
    return params.isEmpty()
        ? ""
        : "; parameters: " + params.stream().map(Param::toString).collect(Collectors.joining(", "));
  }
}

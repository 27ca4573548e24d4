package fleet.tower.chart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A reader of YAML as plain maps that rejects duplicate keys. */
final class Yamls {
  private Yamls() {}

  static Map<String, @Nullable Object> map(Path file) {
    try {
      Object document = reader().load(Files.readString(file));
      return map(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every non-empty document of a stream. */
  static List<Map<String, @Nullable Object>> all(String text) {
    List<Map<String, @Nullable Object>> documents = new ArrayList<>();
    for (Object document : reader().loadAll(text)) {
      if (document != null) {
        documents.add(map(document));
      }
    }
    return documents;
  }

  static Map<String, @Nullable Object> map(@Nullable Object node) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    ((Map<?, ?>) Objects.requireNonNull(node)).forEach((key, value) -> map.put(String.valueOf(key), value));
    return map;
  }

  /** The values of both files as text; the second file's override the first's. */
  static String merged(Path defaults, Path values) {
    return new Yaml().dump(merged(map(defaults), map(values)));
  }

  private static Map<String, @Nullable Object> merged(Map<String, @Nullable Object> defaults,
      Map<String, @Nullable Object> values) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(defaults);
    values.forEach((key, value) -> all.put(key, value instanceof Map<?, ?> && defaults.get(key) instanceof Map<?, ?>
        ? merged(map(defaults.get(key)), map(value))
        : value));
    return all;
  }

  private static Yaml reader() {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    return new Yaml(new SafeConstructor(options));
  }
}

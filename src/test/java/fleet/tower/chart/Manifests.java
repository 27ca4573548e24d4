package fleet.tower.chart;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/** The rendered manifests of a chart: the text, and each manifest as a map. */
record Manifests(String text, List<Map<String, @Nullable Object>> documents) {

  Manifests(String text) {
    this(text, Yamls.all(text));
  }

  /** The kinds and names, in the order of the text. */
  List<String> names() {
    return documents.stream().map(document -> document.get("kind") + " " + at(document, "metadata.name")).toList();
  }

  /** The first of a kind, such as {@code ConfigMap}, or the one of that name, such as {@code ConfigMap intents}. */
  Optional<Map<String, @Nullable Object>> find(String kind) {
    return documents.stream().filter(document -> kind.equals(document.get("kind"))
        || kind.equals(document.get("kind") + " " + at(document, "metadata.name"))).findFirst();
  }

  /**
   * The value in the first manifest of a kind at a path such as {@code spec.containers.0.name}; null if there is none.
   */
  @Nullable
  Object at(String kind, String path) {
    return at(find(kind).orElseThrow(() -> new AssertionError("no " + kind + " in\n" + text)), path);
  }

  /** The one container of the Deployment's pods. */
  Map<String, @Nullable Object> container() {
    return Yamls.map(at("Deployment", "spec.template.spec.containers.0"));
  }

  /** The pod of the Deployment. */
  Map<String, @Nullable Object> pod() {
    return Yamls.map(at("Deployment", "spec.template.spec"));
  }

  /** The value of one of the pod's variables, or its source. */
  @Nullable
  Object variable(String name) {
    return ((List<?>) Objects.requireNonNull(container().get("env"))).stream().map(Yamls::map)
        .filter(variable -> name.equals(variable.get("name"))).findFirst()
        .map(variable -> variable.containsKey("value") ? variable.get("value") : variable.get("valueFrom"))
        .orElse(null);
  }

  static @Nullable Object at(@Nullable Object node, String path) {
    @Nullable
    Object here = node;
    for (String step : path.split("\\.", -1)) {
      if (here instanceof List<?> list) {
        here = list.get(Integer.parseInt(step));
      } else if (here instanceof Map<?, ?> map) {
        here = map.get(step);
      } else {
        return null;
      }
    }
    return here;
  }
}

package fleet.tower.chart;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

/**
 * A validator of manifests that is as strict as a server with field validation: no member unknown, missing, or of
 * another type. A wrong type shows when a manifest that was read is written again and differs.
 */
final class Kubernetes {
  private static final Map<String, Kind> KINDS = Map.of(
      "apps/v1 Deployment", new Kind(V1Deployment.class, V1Deployment::validateJsonElement),
      "v1 Service", new Kind(V1Service.class, V1Service::validateJsonElement),
      "v1 ServiceAccount", new Kind(V1ServiceAccount.class, V1ServiceAccount::validateJsonElement),
      "v1 ConfigMap", new Kind(V1ConfigMap.class, V1ConfigMap::validateJsonElement),
      "v1 Secret", new Kind(V1Secret.class, V1Secret::validateJsonElement),
      "v1 Pod", new Kind(V1Pod.class, V1Pod::validateJsonElement),
      "policy/v1 PodDisruptionBudget",
      new Kind(V1PodDisruptionBudget.class, V1PodDisruptionBudget::validateJsonElement),
      "v1 PersistentVolumeClaim",
      new Kind(V1PersistentVolumeClaim.class, V1PersistentVolumeClaim::validateJsonElement),
      "networking.k8s.io/v1 Ingress", new Kind(V1Ingress.class, V1Ingress::validateJsonElement),
      "networking.k8s.io/v1 NetworkPolicy", new Kind(V1NetworkPolicy.class, V1NetworkPolicy::validateJsonElement));

  /**
   * The operator's own kinds are not part of Kubernetes; these are the members of their definitions that the chart
   * uses.
   */
  private static final Map<String, Map<String, Set<String>>> OPERATORS = Map.of("ServiceMonitor", Map.of(
      "", Set.of("apiVersion", "kind", "metadata", "spec"),
      "spec", Set.of("selector", "endpoints", "namespaceSelector", "jobLabel"),
      "spec.endpoints.0", Set.of("port", "path", "interval", "authorization", "scheme", "scrapeTimeout", "tlsConfig"),
      "spec.endpoints.0.authorization", Set.of("type", "credentials"),
      "spec.endpoints.0.authorization.credentials", Set.of("name", "key", "optional")),
      "PodMonitor", Map.of("", Set.of("apiVersion", "kind", "metadata", "spec"),
          "spec", Set.of("selector", "podMetricsEndpoints", "namespaceSelector", "jobLabel"),
          "spec.podMetricsEndpoints.0",
          Set.of("port", "path", "interval", "authorization", "scheme", "scrapeTimeout", "tlsConfig")),
      "PrometheusRule", Map.of("", Set.of("apiVersion", "kind", "metadata", "spec"), "spec", Set.of("groups"),
          "spec.groups.*", Set.of("name", "interval", "rules"),
          "spec.groups.*.rules.*", Set.of("alert", "expr", "for", "keep_firing_for", "labels", "annotations")));

  private Kubernetes() {}

  private interface Validation {
    void validate(JsonElement manifest) throws IOException;
  }

  private record Kind(Class<?> type, Validation validation) {}

  /** The errors that Kubernetes would report for a manifest. */
  static Optional<String> complaint(Map<String, @Nullable Object> manifest) {
    String kind = manifest.get("apiVersion") + " " + manifest.get("kind");
    Map<String, Set<String>> members = OPERATORS.get(kind.replace("monitoring.coreos.com/v1 ", ""));
    if (members != null) {
      Set<String> unknown = new TreeSet<>();
      members.forEach((path, known) -> unknown(manifest, "", path, known, unknown));
      return unknown.isEmpty() ? Optional.empty() : Optional.of("unknown: " + unknown);
    }
    Kind known = KINDS.get(kind);
    if (known == null) {
      return Optional.of("nobody knows the kind " + kind);
    }
    JsonElement written = new Gson().toJsonTree(manifest);
    try {
      known.validation().validate(written);
      JsonElement read = JSON.getGson().toJsonTree(JSON.getGson().fromJson(written, known.type()));
      return difference("", written, read);
    } catch (IOException | RuntimeException refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    }
  }

  /** Collects the unknown members at a path; a star in it stands for every element of a list. */
  private static void unknown(@Nullable Object node, String here, String path, Set<String> known, Set<String> unknown) {
    int star = path.indexOf(".*");
    if (star >= 0 && Manifests.at(node, path.substring(0, star)) instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        String rest = path.substring(star + 2);
        unknown(list.get(i), here + path.substring(0, star) + "." + i + (rest.isEmpty() ? "" : "."),
            rest.replaceFirst("^\\.", ""), known, unknown);
      }
      return;
    }
    Object found = path.isEmpty() ? node : Manifests.at(node, path);
    if (found != null) {
      Yamls.map(found).keySet().stream().filter(name -> !known.contains(name))
          .forEach(name -> unknown.add((here + path + "." + name).replace("..", ".")));
    }
  }

  private static Optional<String> difference(String path, JsonElement written, @Nullable JsonElement read) {
    if (written instanceof JsonObject object && read instanceof JsonObject other) {
      return object.entrySet().stream()
          .flatMap(member -> difference(path + "/" + member.getKey(), member.getValue(), other.get(member.getKey()))
              .stream())
          .findFirst();
    }
    if (read != null && written.isJsonArray() && read.isJsonArray()) {
      List<JsonElement> elements = written.getAsJsonArray().asList();
      List<JsonElement> others = read.getAsJsonArray().asList();
      for (int i = 0; i < elements.size(); i++) {
        Optional<String> found = difference(path + "/" + i, elements.get(i), i < others.size() ? others.get(i) : null);
        if (found.isPresent()) {
          return found;
        }
      }
      return Optional.empty();
    }
    return written.equals(read) ? Optional.empty() : Optional.of(path + " is " + written + ", and is taken as " + read);
  }
}

package fleet.tower.service.config.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Entry;
import fleet.tower.platform.yaml.Node.Mapping;
import fleet.tower.platform.yaml.Node.Position;
import fleet.tower.platform.yaml.Node.Scalar;
import fleet.tower.platform.yaml.Node.Sequence;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.SourceFile;

/**
 * The document of all calls, assembled from one file per subject. Parameters and answers of every call that needs a
 * token, and of every call that reads a body, are written once, in {@code every-call.yaml}; a call's own take
 * precedence.
 */
final class ApiDocument {
  private static final Path PARTS = Path.of(System.getProperty("project.basedir", ""),
      "src/main/resources/fleet/tower/service/config/api");
  private static final List<String> SUBJECTS = List.of("intents", "runs", "locks", "freezes", "tasks", "claims",
      "mailboxes", "messages", "audit", "overview", "mcp", "service", "refusals", "problems");
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");
  private static final SourceFile.Kind FORM = new SourceFile.Kind("a part of the document", "is empty", "write one",
      "split it");

  private ApiDocument() {}

  /** All of it; the build fills in the version. */
  static Node read() {
    Mapping document = merged(part("api"), mapping("info", mapping("version", text("@project.version@"))), "api");
    for (String subject : SUBJECTS) {
      document = merged(document, part(subject), subject);
    }
    return completed(document, part("every-call"));
  }

  private static Mapping part(String name) {
    String file = name + ".yaml";
    Complaints complaints = new Complaints(file);
    Node node = NodeReader.read(resource(file), FORM, complaints).orElse(null);
    if (!complaints.all().isEmpty() || !(node instanceof Mapping mapping)) {
      throw new IllegalStateException("the document of all calls cannot be read: " + complaints.all());
    }
    return mapping;
  }

  private static String resource(String file) {
    try {
      return Files.readString(PARTS.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Both; nothing but a mapping may stand in both under one key. */
  private static Mapping merged(Mapping first, Mapping second, String where) {
    Map<String, Entry> entries = byKey(first);
    for (Entry entry : second.entries()) {
      String key = entry.key().text();
      entries.merge(key, entry, (one, other) -> {
        if (one.value() instanceof Mapping a && other.value() instanceof Mapping b) {
          return new Entry(one.key(), merged(a, b, where + "." + key));
        }
        throw new IllegalStateException(where + "." + key + " stands twice in the document of all calls");
      });
    }
    return new Mapping(List.copyOf(entries.values()), first.position());
  }

  private static Mapping completed(Mapping document, Mapping every) {
    List<Entry> paths = new ArrayList<>();
    for (Entry path : document.entries("paths")) {
      List<Entry> calls = new ArrayList<>();
      for (Entry call : ((Mapping) path.value()).entries()) {
        calls.add(METHODS.contains(call.key().text())
            ? new Entry(call.key(), call((Mapping) call.value(), every))
            : call);
      }
      paths.add(new Entry(path.key(), new Mapping(calls, path.value().position())));
    }
    return replaced(document, "paths", new Mapping(paths, document.position()));
  }

  private static Mapping call(Mapping call, Mapping every) {
    Mapping complete = call;
    if (call.entry("security").isEmpty()) {
      complete = with(complete, every.node("with_a_token").orElseThrow());
    }
    return call.entry("requestBody").isEmpty()
        ? complete
        : with(complete, every.node("with_a_body").orElseThrow());
  }

  /** A call with the parameters and responses that all of its kind have, the responses in the order of their status. */
  private static Mapping with(Mapping call, Node common) {
    List<Node> parameters = new ArrayList<>(call.items("parameters"));
    parameters.addAll(common.items("parameters"));
    Map<String, Entry> responses = new LinkedHashMap<>();
    call.entries("responses").forEach(entry -> responses.put(entry.key().text(), entry));
    common.entries("responses").forEach(entry -> responses.putIfAbsent(entry.key().text(), entry));
    List<Entry> ordered = responses.values().stream().sorted(Comparator.comparing(entry -> entry.key().text()))
        .toList();
    Mapping complete = replaced(call, "responses", new Mapping(ordered, call.position()));
    return parameters.isEmpty()
        ? complete
        : replaced(complete, "parameters", new Sequence(parameters, call.position()));
  }

  private static Mapping replaced(Mapping mapping, String key, Node value) {
    Map<String, Entry> entries = byKey(mapping);
    entries.put(key, new Entry(text(key), value));
    return new Mapping(List.copyOf(entries.values()), mapping.position());
  }

  private static Map<String, Entry> byKey(Mapping mapping) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    mapping.entries().forEach(entry -> entries.put(entry.key().text(), entry));
    return entries;
  }

  private static Mapping mapping(String key, Node value) {
    return new Mapping(List.of(new Entry(text(key), value)), Position.START);
  }

  private static Scalar text(String text) {
    return new Scalar(text, false, Position.START, List.of());
  }
}

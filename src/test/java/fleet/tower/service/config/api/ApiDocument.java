package fleet.tower.service.config.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;

import fleet.tower.home.Release;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Kind;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;

/**
 * The document of all calls, which the build assembles: paths, roles, parameters and bodies are those of the operations;
 * prose, examples and answers, and the calls that are no operations, are in one file for each subject. What all calls
 * that need a token have, and all calls with a body, is in {@code every-call.yaml}; a call's own takes precedence.
 *
 * <pre>
 * java -cp CLASSES:LIBRARIES src/test/java/fleet/tower/service/config/api/ApiDocument.java OUTPUT
 * </pre>
 */
public final class ApiDocument {
  private static final Path PARTS = Path.of(System.getProperty("project.basedir", ""),
      "src/main/resources/fleet/tower/service/config/api");
  private static final List<String> SUBJECTS = List.of("intents", "runs", "locks", "freezes", "halts", "approvals",
      "tasks", "claims", "mailboxes", "messages", "audit", "overview", "mcp", "service", "refusals", "problems");
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");

  private final Map<String, Object> document = part("api");
  private final Map<String, Operation> open = new LinkedHashMap<>();
  /** What the table does not know of an argument wherever it is given: its form, an example. */
  private final Map<String, Object> known = taken(document, "arguments");
  private final Map<String, Object> every = part("every-call");

  ApiDocument(List<Operation> operations) {
    operations.forEach(operation -> open.putIfAbsent(operation.id(), operation));
  }

  public static void main(String[] args) throws IOException {
    Path output = Path.of(args[0]);
    Files.createDirectories(output.resolveSibling(""));
    Files.writeString(output, yaml(read()));
  }

  /** All of it. */
  public static Map<String, Object> read() {
    ApiDocument assembly = new ApiDocument(Operations.all().toList());
    member(assembly.document, "info").put("version", Release.version());
    for (String subject : SUBJECTS) {
      assembly.add(part(subject), subject);
    }
    return assembly.completed();
  }

  public static String yaml(Map<String, Object> document) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setDereferenceAliases(true);
    options.setWidth(120);
    return new Yaml(new Representer(options), options).dump(document);
  }

  private static Map<String, Object> part(String name) {
    try {
      return mapping(parsed(Files.readString(PARTS.resolve(name + ".yaml"))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** JSON is YAML too. */
  static Object parsed(String yaml) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    return new Yaml(new SafeConstructor(options)).load(yaml);
  }

  void add(Map<String, Object> part, String subject) {
    Map<String, Object> calls = new LinkedHashMap<>();
    taken(part, "operations").forEach((id, prose) -> {
      Operation operation = open.remove(id);
      if (operation == null) {
        throw new IllegalStateException(subject + " describes " + id + ", which is no operation");
      }
      member(calls, operation.path()).put(operation.method().name().toLowerCase(Locale.ROOT),
          call(operation, mapping(prose)));
    });
    merge(document, Map.of("paths", calls), subject);
    merge(document, part, subject);
  }

  /** Both; nothing but a mapping may stand in both under one key. */
  private static void merge(Map<String, Object> into, Map<String, Object> from, String where) {
    from.forEach((key, value) -> into.merge(key, value, (one, other) -> {
      if (!(one instanceof Map && other instanceof Map)) {
        throw new IllegalStateException(where + "." + key + " stands twice in the document of all calls");
      }
      merge(mapping(one), mapping(other), where + "." + key);
      return one;
    }));
  }

  private Map<String, Object> call(Operation operation, Map<String, Object> prose) {
    Map<String, Object> own = taken(prose, "arguments");
    List<Object> parameters = new ArrayList<>();
    List<String> variables = operation.variables();
    for (int i = 0; i < variables.size(); i++) {
      parameters.add(parameter(variables.get(i), "path", operation.inPath().get(i), own));
    }
    if (!operation.method().hasBody()) {
      operation.besidesPath().forEach(arg -> parameters.add(parameter(arg.name(), "query", arg, own)));
    }
    operation.at(Via.HEADER).forEach(arg -> parameters.add(parameter(arg.name(), "header", arg, own)));
    parameters.addAll(items(prose, "parameters"));
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("tags", List.of(operation.path().split("/", 3)[1]));
    call.put("operationId", operation.id());
    call.put("x-tower-role", operation.role().toString());
    call.put("parameters", parameters);
    if (operation.method().hasBody()) {
      call.put("requestBody", body(operation, own, taken(prose, "request")));
    }
    call.putAll(prose);
    call.put("parameters", parameters);
    if (!own.isEmpty()) {
      throw new IllegalStateException(operation.id() + " does not take " + own.keySet());
    }
    return call;
  }

  private Map<String, Object> parameter(String name, String in, Arg<?> arg, Map<String, Object> own) {
    Map<String, Object> more = more(arg, own);
    Map<String, Object> parameter = new LinkedHashMap<>(Map.of("name", name));
    parameter.put("in", in);
    if (arg.isRequired() || in.equals("path")) {
      parameter.put("required", true);
    }
    parameter.put("schema", schema(arg, taken(more, "schema")));
    parameter.putAll(more);
    return parameter;
  }

  private Map<String, Object> body(Operation operation, Map<String, Object> own, Map<String, Object> example) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (Arg<?> arg : operation.besidesPath()) {
      Map<String, Object> more = more(arg, own);
      more.remove("example");
      Map<String, Object> schema = schema(arg, taken(more, "schema"));
      schema.putAll(more);
      members.put(arg.name(), schema);
    }
    List<String> required = operation.besidesPath().stream().filter(Arg::isRequired).map(Arg::name).toList();
    Map<String, Object> schema = new LinkedHashMap<>(Map.of("type", "object"));
    schema.put("additionalProperties", false);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    schema.put("properties", members);
    Map<String, Object> content = new LinkedHashMap<>(Map.of("schema", schema));
    content.put("example", example);
    Map<String, Object> body = new LinkedHashMap<>(Map.of("required", !required.isEmpty()));
    body.put("content", Map.of("application/json", content));
    return body;
  }

  /** What is said of an argument besides its schema: here, of arguments of this name, or in the table. */
  private Map<String, Object> more(Arg<?> arg, Map<String, Object> own) {
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("description", sentence(arg));
    if (arg.needed() != null) {
      more.put("x-tower-role", arg.needed().toString());
    }
    more.putAll(mapping(known.getOrDefault(arg.name(), Map.of())));
    more.putAll(taken(own, arg.name()));
    return more;
  }

  private static String sentence(Arg<?> arg) {
    boolean hasUnit = arg.kind() instanceof Kind.Whole whole && whole.isSpan() && !arg.name().endsWith("_seconds");
    return arg.says().substring(0, 1).toUpperCase(Locale.ROOT) + arg.says().substring(1)
        + (hasUnit ? ", in seconds." : ".");
  }

  private static <T> Map<String, Object> schema(Arg<T> arg, Map<String, Object> more) {
    Map<String, Object> schema = more.containsKey("$ref") ? more : mapping(parsed(arg.kind().schema().end()));
    schema.putAll(more);
    T otherwise = arg.otherwise();
    if (otherwise != null) {
      schema.put("default", parsed(arg.kind().json(otherwise)));
    }
    return schema;
  }

  Map<String, Object> completed() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("the document of all calls does not describe " + open.keySet());
    }
    member(document, "paths").values().forEach(path -> mapping(path).forEach((method, call) -> {
      if (METHODS.contains(method)) {
        complete(mapping(call));
      }
    }));
    return document;
  }

  private void complete(Map<String, Object> call) {
    if (!call.containsKey("security")) {
      add(call, member(every, "with_a_token"));
    }
    if (call.containsKey("requestBody")) {
      add(call, member(every, "with_a_body"));
    }
  }

  /** The parameters and responses that all calls of a kind have; the responses in the order of their status. */
  private static void add(Map<String, Object> call, Map<String, Object> common) {
    List<Object> parameters = new ArrayList<>(items(call, "parameters"));
    parameters.addAll(items(common, "parameters"));
    Map<String, Object> responses = new TreeMap<>(member(common, "responses"));
    responses.putAll(member(call, "responses"));
    call.put("responses", responses);
    if (!parameters.isEmpty()) {
      call.put("parameters", parameters);
    }
  }

  /** A mapping in a mapping, which is made if there is none. */
  private static Map<String, Object> member(Map<String, Object> of, String name) {
    return mapping(of.computeIfAbsent(name, _ -> new LinkedHashMap<String, Object>()));
  }

  /** A mapping that is no longer in the other. */
  private static Map<String, Object> taken(Map<String, Object> of, String name) {
    Object value = of.remove(name);
    return value == null ? new LinkedHashMap<>() : new LinkedHashMap<>(mapping(value));
  }

  private static List<?> items(Map<String, Object> of, String name) {
    return of.get(name) instanceof List<?> list ? list : List.of();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> mapping(Object value) {
    return (Map<String, Object>) value;
  }
}

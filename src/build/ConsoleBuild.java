import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import org.yaml.snakeyaml.Yaml;

/**
 * Builds the console from TypeScript: unpacks the libraries and the bundler, writes the types of the HTTP interface, and
 * bundles the pages into files whose names contain their hashes.
 *
 * <pre>
 * java -cp snakeyaml.jar ConsoleBuild.java SOURCES OPENAPI JARS WORK OUTPUT [BUNDLER]
 * java -cp snakeyaml.jar ConsoleBuild.java OPENAPI TYPES    only the types
 * </pre>
 */
final class ConsoleBuild {
  private static final Pattern LIBRARY = Pattern.compile("META-INF/resources/_static/[^/]+/[^/]+");
  private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]+)\"");

  private final Path sources;
  private final Path work;
  private final Path output;

  private ConsoleBuild(Path sources, Path work, Path output) {
    this.sources = sources;
    this.work = work;
    this.output = output;
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 2) {
      types(Path.of(args[0]), Path.of(args[1]));
      return;
    }
    if (args.length < 5) {
      throw new IllegalArgumentException("usage: ConsoleBuild SOURCES OPENAPI JARS WORK OUTPUT [BUNDLER]");
    }
    ConsoleBuild build = new ConsoleBuild(Path.of(args[0]), Path.of(args[3]), Path.of(args[4]));
    Files.createDirectories(build.work.resolve("node_modules"));
    build.unpack(Path.of(args[2]));
    types(Path.of(args[1]), build.work.resolve("api.d.ts"));
    build.bundle(args.length > 5 && !args[5].isEmpty() ? Path.of(args[5]) : build.bundler());
  }

  private static void types(Path openapi, Path output) throws IOException {
    try (InputStream document = Files.newInputStream(openapi)) {
      Files.writeString(output, new Types(new Yaml().load(document)).text());
    }
  }

  /** Unpacks each library into the directory in which the bundler and the type checker look for it. */
  private void unpack(Path jars) throws IOException, InterruptedException {
    for (Path jar : list(jars, path -> path.toString().endsWith(".jar"))) {
      try (FileSystem content = FileSystems.newFileSystem(jar)) {
        for (Path library : libraries(content)) {
          Matcher name = NAME.matcher(Files.readString(manifest(library)));
          if (!name.find()) {
            throw new IOException(jar + " has a package without a name");
          }
          Path target = work.resolve("node_modules").resolve(name.group(1));
          copy(manifest(library).getParent(), target);
          Path more = content.getPath("META-INF/.more.tgz");
          if (Files.exists(more)) {
            unpackTypes(more, target);
          }
        }
      }
    }
  }

  /** The types are in an archive of their own. */
  private void unpackTypes(Path archive, Path target) throws IOException, InterruptedException {
    Path copy = work.resolve("types.tgz");
    Files.copy(archive, copy, StandardCopyOption.REPLACE_EXISTING);
    run(List.of("tar", "xzf", copy.toString(), "--strip-components=4", "-C", target.toString()), Map.of());
    Files.delete(copy);
  }

  private static void run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
    ProcessBuilder process = new ProcessBuilder(command).inheritIO();
    process.environment().putAll(environment);
    int exit = process.start().waitFor();
    if (exit != 0) {
      throw new IOException(command.get(0) + " exited with " + exit);
    }
  }

  private static List<Path> libraries(FileSystem content) throws IOException {
    Path root = content.getPath("META-INF/resources/_static");
    try (Stream<Path> all = Files.walk(root, 2)) {
      return all.filter(path -> LIBRARY.matcher(path.toString().replaceFirst("^/|/$", "")).matches()).toList();
    }
  }

  /** Some packages are in one more directory. */
  private static Path manifest(Path library) throws IOException {
    try (Stream<Path> all = Files.walk(library, 2)) {
      return all.filter(path -> path.endsWith("package.json")).min(Comparator.comparing(Path::getNameCount))
          .orElseThrow(() -> new IOException(library + " has no package.json"));
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  private Path bundler() throws IOException {
    List<Path> found = list(work.resolve("node_modules"), path -> path.endsWith("bin/esbuild"));
    if (found.size() != 1) {
      throw new IOException("no bundler for this platform among the libraries; install esbuild, and name its executable: "
          + "./mvnw -Desbuild=/path/to/esbuild …");
    }
    found.get(0).toFile().setExecutable(true);
    return found.get(0);
  }

  private void bundle(Path bundler) throws IOException, InterruptedException {
    if (Files.exists(output)) {
      for (Path old : list(output, Files::isRegularFile)) {
        Files.delete(old);
      }
    }
    Path meta = work.resolve("meta.json");
    List<String> command = List.of(bundler.toString(), sources.resolve("app.ts").toString(), "--bundle",
        "--minify", "--format=esm", "--splitting", "--target=es2022", "--charset=utf8", "--legal-comments=none",
        "--entry-names=[name]-[hash]", "--chunk-names=[name]-[hash]", "--asset-names=[name]-[hash]",
        "--outdir=" + output.resolve("assets"), "--metafile=" + meta, "--log-level=warning",
        "--tsconfig=" + sources.resolve("tsconfig.json"));
    run(command, Map.of("NODE_PATH", work.resolve("node_modules").toString()));
    String script = asset("app-", ".js");
    String style = asset("app-", ".css");
    Files.writeString(output.resolve("index.html"), Files.readString(sources.resolve("index.html"))
        .replace("app.js", script).replace("app.css", style));
    for (Path file : list(output, Files::isRegularFile)) {
      compress(file);
    }
  }

  private String asset(String begin, String end) throws IOException {
    return list(output.resolve("assets"), path -> path.getFileName().toString().startsWith(begin)
        && path.toString().endsWith(end)).get(0).getFileName().toString();
  }

  private static void compress(Path file) throws IOException {
    try (var out = new GZIPOutputStream(Files.newOutputStream(file.resolveSibling(file.getFileName() + ".gz"))) {
      {
        def.setLevel(9);
      }
    }) {
      Files.copy(file, out);
    }
  }

  private static List<Path> list(Path directory, Predicate<Path> wanted) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(wanted).sorted().toList();
    }
  }

  /** TypeScript types of an OpenAPI document. */
  private static final class Types {
    private final Map<String, Object> document;
    private final StringBuilder text = new StringBuilder("// Generated from the OpenAPI document.\n\n");

    Types(Map<String, Object> document) {
      this.document = document;
    }

    String text() {
      text.append("export interface Schemas {\n");
      map(map(document, "components"), "schemas")
          .forEach((name, schema) -> text.append("  ").append(key(name)).append(": ").append(type(schema)).append(";\n"));
      text.append("}\n\nexport interface Calls {\n");
      map(document, "paths").forEach((path, item) -> calls(path, asMap(item)));
      return text.append("}\n").toString();
    }

    private void calls(String path, Map<String, Object> item) {
      for (String method : List.of("get", "post", "put", "delete")) {
        if (item.get(method) instanceof Map<?, ?> found) {
          Map<String, Object> call = asMap(found);
          List<Map<String, Object>> parameters = new ArrayList<>(parameters(item));
          parameters.addAll(parameters(call));
          text.append("  \"").append(method.toUpperCase(java.util.Locale.ROOT)).append(' ').append(path).append("\": {\n")
              .append("    path: ").append(parameters(parameters, "path")).append(";\n")
              .append("    query: ").append(parameters(parameters, "query")).append(";\n")
              .append("    body: ").append(body(call)).append(";\n")
              .append("    answer: ").append(answer(call)).append(";\n  };\n");
        }
      }
    }

    private List<Map<String, Object>> parameters(Map<String, Object> of) {
      return of.get("parameters") instanceof List<?> all ? all.stream().map(it -> resolved(asMap(it))).toList() : List.of();
    }

    private String parameters(List<Map<String, Object>> all, String in) {
      Map<String, String> members = new TreeMap<>();
      all.stream().filter(it -> in.equals(it.get("in"))).forEach(it -> members.put(it.get("name")
          + (Boolean.TRUE.equals(it.get("required")) ? "" : "?"), type(it.get("schema"))));
      return members.isEmpty() ? "{}" : members.entrySet().stream()
          .map(it -> key(it.getKey()) + ": " + it.getValue()).collect(Collectors.joining("; ", "{ ", " }"));
    }

    private String body(Map<String, Object> call) {
      return call.get("requestBody") instanceof Map<?, ?> body ? content(resolved(asMap(body)), "undefined") : "undefined";
    }

    private String answer(Map<String, Object> call) {
      List<String> types = new ArrayList<>();
      map(call, "responses").forEach((status, response) -> {
        if (status.startsWith("2")) {
          types.add(content(resolved(asMap(response)), "undefined"));
        }
      });
      return types.isEmpty() ? "undefined" : types.stream().distinct().collect(Collectors.joining(" | "));
    }

    private String content(Map<String, Object> of, String none) {
      Map<String, Object> content = map(of, "content");
      return content.entrySet().stream().filter(it -> it.getKey().endsWith("json")).findFirst()
          .map(it -> type(asMap(it.getValue()).get("schema"))).orElse(content.isEmpty() ? none : "string");
    }

    private Map<String, Object> resolved(Map<String, Object> object) {
      if (!(object.get("$ref") instanceof String ref)) {
        return object;
      }
      Object found = document;
      for (String part : ref.substring(2).split("/")) {
        found = asMap(found).get(part);
      }
      return asMap(found);
    }

    private String type(Object any) {
      if (!(any instanceof Map<?, ?> given)) {
        return "unknown";
      }
      Map<String, Object> schema = asMap(given);
      if (schema.get("$ref") instanceof String ref) {
        return "Schemas[\"" + ref.substring(ref.lastIndexOf('/') + 1) + "\"]";
      }
      List<String> parts = new ArrayList<>();
      all(schema, "allOf", " & ").ifPresent(parts::add);
      all(schema, "oneOf", " | ").ifPresent(parts::add);
      all(schema, "anyOf", " | ").ifPresent(parts::add);
      String own = own(schema);
      if (!own.equals("unknown") || parts.isEmpty()) {
        parts.add(own);
      }
      return parts.stream().distinct().collect(Collectors.joining(" & "));
    }

    private java.util.Optional<String> all(Map<String, Object> schema, String member, String between) {
      return schema.get(member) instanceof List<?> list
          ? java.util.Optional.of(list.stream().map(this::type).distinct().collect(Collectors.joining(between, "(", ")")))
          : java.util.Optional.empty();
    }

    private String own(Map<String, Object> schema) {
      if (schema.get("enum") instanceof List<?> values) {
        return values.stream().map(Types::literal).collect(Collectors.joining(" | ", "(", ")"));
      }
      if (schema.containsKey("const")) {
        return literal(schema.get("const"));
      }
      if (schema.get("type") instanceof List<?> types) {
        return types.stream().map(type -> named(String.valueOf(type), schema)).collect(Collectors.joining(" | ", "(", ")"));
      }
      return schema.get("type") instanceof String type ? named(type, schema)
          : schema.containsKey("properties") ? named("object", schema) : "unknown";
    }

    private String named(String type, Map<String, Object> schema) {
      return switch (type) {
        case "string" -> "string";
        case "integer", "number" -> "number";
        case "boolean" -> "boolean";
        case "null" -> "null";
        case "array" -> "Array<" + type(schema.get("items")) + ">";
        case "object" -> object(schema);
        default -> "unknown";
      };
    }

    private String object(Map<String, Object> schema) {
      List<?> required = schema.get("required") instanceof List<?> list ? list : List.of();
      Object others = schema.get("additionalProperties");
      Map<String, Object> properties = map(schema, "properties");
      if (properties.isEmpty()) {
        return "{ [name: string]: " + (others instanceof Map<?, ?> ? type(others) : "unknown") + " }";
      }
      return properties.entrySet().stream()
          .map(it -> key(it.getKey() + (required.contains(it.getKey()) ? "" : "?")) + ": " + type(it.getValue()))
          .collect(Collectors.joining("; ", "{ ", " }"));
    }

    private static String key(String name) {
      boolean isOptional = name.endsWith("?");
      String bare = isOptional ? name.substring(0, name.length() - 1) : name;
      return (bare.matches("[A-Za-z_][A-Za-z0-9_]*") ? bare : "\"" + bare + "\"") + (isOptional ? "?" : "");
    }

    private static String literal(Object value) {
      return value instanceof String text ? "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"" : String.valueOf(value);
    }

    private static Map<String, Object> map(Map<String, Object> of, String member) {
      return of.get(member) instanceof Map<?, ?> found ? asMap(found) : Map.of();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object any) {
      return (Map<String, Object>) any;
    }
  }
}

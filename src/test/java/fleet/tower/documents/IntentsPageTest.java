package fleet.tower.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import fleet.tower.golden.Golden;
import fleet.tower.intent.yaml.IntentFiles;

@DisplayName("The page about intents agrees with the schema of intents")
class IntentsPageTest {
  private static final String PAGE = "docs/intents.md";
  private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("\\bname: ([a-z-]+)");
  private static final String FRAGMENT = "# below spec:\n";

  @TempDir
  private Path directory = Path.of("");

  /** The examples as whole files; an example of only the part below {@code spec} gets the rest. */
  private static List<String> examples() throws IOException {
    Matcher example = EXAMPLE.matcher(Files.readString(Page.BASE.resolve(PAGE)));
    return example.results().map(match -> match.group(1)).map(text -> text.startsWith(FRAGMENT)
        ? "apiVersion: tower-fleet/intent/v1\nkind: Intent\nmetadata: { name: fragment, version: 1.0.0 }\nspec:\n"
            + text.indent(2)
        : text).toList();
  }

  @Test
  @DisplayName("The loader accepts every example without findings")
  void examplesAreSound() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String example : examples()) {
      Matcher name = NAME.matcher(example);
      assertThat(name.find()).as(example).isTrue();
      Path folder = Files.createDirectory(directory.resolve("e" + files.size()));
      files.add(Files.writeString(folder.resolve(name.group(1) + ".yaml"), example));
    }

    assertThat(files).hasSizeGreaterThan(4);
    assertThat(IntentFiles.examine(files)).isEmpty();
  }

  @Test
  @DisplayName("Every key is in an example, and every allowed word of a key is on the page")
  void examplesShowEverything() throws IOException {
    Set<String> shown = new TreeSet<>();
    for (String example : examples()) {
      collect("", new Yaml().load(example), shown);
    }
    Set<String> known = new TreeSet<>();
    Set<String> words = new TreeSet<>();
    for (Row row : rows()) {
      known.add(row.path());
      words.addAll(row.words());
    }

    assertThat(shown).isEqualTo(known);
    assertThat(words).allMatch(Files.readString(Page.BASE.resolve(PAGE))::contains);
  }

  private static void collect(String path, @Nullable Object node, Set<String> shown) {
    if (node instanceof Map<?, ?> map && !path.endsWith(".output.schema")) {
      map.forEach((key, value) -> {
        boolean named = path.equals("spec.params") || path.equals("spec.secrets") || path.equals("spec.approve.when")
            || path.endsWith(".env");
        String name = path.isEmpty() ? String.valueOf(key) : path + "." + (named ? "NAME" : key);
        shown.add(name);
        if (!name.equals("spec.desired")) {
          collect(name, value, shown);
        }
      });
    } else if (node instanceof List<?> list && list.stream().allMatch(element -> element instanceof Map<?, ?>)) {
      list.forEach(element -> collect(path + "[]", element, shown));
    }
  }

  @Test
  @DisplayName("The table of all keys is generated from the schema")
  void tableIsOfTheSchema() throws IOException {
    StringBuilder table = new StringBuilder("| Key | | |\n|---|---|---|\n");
    for (Row row : rows()) {
      table.append("| `").append(row.path()).append("` | ").append(row.type()).append(" | ").append(row.text())
          .append(" |\n");
    }

    Golden.isPart(PAGE, "keys", table.toString());
  }

  private record Row(String path, String type, String text, List<String> words) {}

  private static List<Row> rows() throws IOException {
    JsonObject schema = JsonParser.parseString(Files.readString(Page.BASE.resolve("config/intent.schema.json")))
        .getAsJsonObject();
    List<Row> rows = new ArrayList<>();
    rows("", schema, schema, rows);
    return rows;
  }

  private static void rows(String path, JsonObject node, JsonObject schema, List<Row> rows) {
    JsonArray required = node.has("required") ? node.getAsJsonArray("required") : new JsonArray();
    if (node.has("properties")) {
      node.getAsJsonObject("properties").entrySet().forEach(property -> {
        String name = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
        boolean isRequired = required.asList().stream().anyMatch(it -> it.getAsString().equals(property.getKey()));
        row(name, property.getValue().getAsJsonObject(), isRequired, schema, rows);
      });
    } else if (node.get("additionalProperties") instanceof JsonObject any) {
      row(path + ".NAME", any, false, schema, rows);
    }
  }

  private static void row(String path, JsonObject own, boolean required, JsonObject schema, List<Row> rows) {
    JsonObject node = resolved(own, schema);
    List<String> words = new ArrayList<>();
    if (node.has("enum")) {
      node.getAsJsonArray("enum").forEach(word -> words.add(word.getAsString()));
    }
    String description = (own.has("description") ? own : node).get("description").getAsString().replace("|", "\\|")
        .replace("<", "&lt;");
    rows.add(new Row(path, type(node, schema) + (required ? ", required" : ""), description, words));
    if (own.has("$ref") && own.get("$ref").getAsString().equals("#/$defs/schema")) {
      return;
    }
    if (node.has("items") && resolved(node.getAsJsonObject("items"), schema).has("properties")) {
      rows(path + "[]", resolved(node.getAsJsonObject("items"), schema), schema, rows);
    } else {
      rows(path, node, schema, rows);
    }
  }

  /** A definition with the members beside the reference to it. */
  private static JsonObject resolved(JsonObject node, JsonObject schema) {
    if (!node.has("$ref")) {
      return node;
    }
    String name = node.get("$ref").getAsString().replace("#/$defs/", "");
    JsonObject definition = resolved(schema.getAsJsonObject("$defs").getAsJsonObject(name), schema).deepCopy();
    node.entrySet().forEach(member -> definition.add(member.getKey(), member.getValue()));
    definition.remove("$ref");
    return definition;
  }

  private static String type(JsonObject node, JsonObject schema) {
    if (node.has("enum") || node.has("const")) {
      return node.has("const") ? "`" + node.get("const").getAsString() + "`" : "one of several words";
    }
    JsonElement type = node.get("type");
    if (type instanceof JsonArray types && types.get(0).getAsString().equals("array")) {
      return "list of text, or map";
    }
    String name = type == null || type.isJsonArray() ? "text" : type.getAsString();
    if (name.equals("array")) {
      return "list of " + type(resolved(node.getAsJsonObject("items"), schema), schema);
    }
    return name.equals("object") ? "map" : name.equals("string") ? "text" : name;
  }
}

package fleet.tower.intent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import fleet.tower.platform.json.JsonWriter;

/** The part of a state that must hold, whose texts are templates. */
public sealed interface Desired {

  /** The members of an object; it may have others. */
  record Members(Map<String, Desired> members) implements Desired {
    public Members {
      members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }
  }

  /** All elements of a list. */
  record Elements(List<Desired> elements) implements Desired {
    public Elements {
      elements = List.copyOf(elements);
    }
  }

  /**
   * A text.
   *
   * @param type of the value; that of a parameter if the text consists of a reference to it
   */
  record Text(Template template, Parameter.Type type) implements Desired {}

  /** A number, true, false or null, as JSON. */
  record Fixed(String json) implements Desired {}

  /** The state as JSON, with a value for each variable. */
  default String json(Function<Template.Variable, String> values) {
    return written(text -> text.type().json(text.template().resolve(values)));
  }

  /** The state as JSON, as the intent has it. */
  default String source() {
    return written(text -> JsonWriter.quote(text.template().source()));
  }

  private String written(Function<Text, String> texts) {
    return switch (this) {
      case Members(Map<String, Desired> members) -> {
        JsonWriter json = JsonWriter.line();
        members.forEach((name, value) -> json.raw(name, value.written(texts)));
        yield json.end();
      }
      case Elements(List<Desired> elements) -> {
        List<String> written = new ArrayList<>();
        elements.forEach(element -> written.add(element.written(texts)));
        yield "[" + String.join(",", written) + "]";
      }
      case Text text -> texts.apply(text);
      case Fixed(String json) -> json;
    };
  }
}

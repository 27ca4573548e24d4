package fleet.tower.service.web.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.Nearest;
import jakarta.servlet.http.HttpServletRequest;

/** The JSON object that was sent; nothing at all is an empty one. Whoever asks it for a member says what it must be. */
public final class Body {
  private static final int MAX_SHOWN = 40;
  private final JsonObject json;

  Body(JsonObject json) {
    this.json = json;
  }

  /** Reads it strictly: at most {@value Problems#MAX_BODY} bytes of JSON, not compressed. */
  static Body of(HttpServletRequest request) throws IOException {
    requireNoQuery(request.getQueryString());
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Rejected(Problems.mediaType("the body is encoded as " + shown(encoding) + ", which is not supported"));
    }
    if (request.getContentLengthLong() > Problems.MAX_BODY) {
      throw new Rejected(Problems.tooLarge());
    }
    byte[] bytes = request.getInputStream().readNBytes(Problems.MAX_BODY + 1);
    if (bytes.length > Problems.MAX_BODY) {
      throw new Rejected(Problems.tooLarge());
    }
    try {
      if (bytes.length == 0) {
        return new Body(JsonReader.readObject("{}"));
      }
      requireJson(request.getContentType());
      return new Body(JsonReader.readObject(bytes));
    } catch (JsonException e) {
      throw new Rejected(Problems.malformed("the body is not a JSON object: " + e.getMessage()));
    }
  }

  /** What somebody put there would do nothing, and he would not know. */
  private static void requireNoQuery(@Nullable String query) {
    if (query != null && !query.isEmpty()) {
      String name = query.replaceFirst("[=&].*", "");
      throw Problems.invalid(name, "this call has no parameter " + shown(name) + " in its query",
          "send it as a member of the body");
    }
  }

  private static void requireJson(@Nullable String contentType) {
    try {
      if (contentType != null && MediaType.APPLICATION_JSON.isCompatibleWith(MediaType.parseMediaType(contentType))) {
        return;
      }
    } catch (InvalidMediaTypeException e) {
      // It is none of ours.
    }
    throw new Rejected(Problems.mediaType(contentType == null
        ? "the body has no Content-Type"
        : "the body is of type " + shown(contentType) + ", which is not supported"));
  }

  /** Refuses every other member than these. */
  public Body allow(String... names) {
    json.members().keySet().forEach(key -> requireKnown("member", key, Arrays.asList(names)));
    return this;
  }

  static void requireKnown(String what, String key, List<String> names) {
    if (!names.contains(key)) {
      throw Problems.invalid(key, "there is no " + what + " " + shown(key), Nearest.of(key, names)
          .map(name -> "did you mean '" + name + "'?")
          .orElse(names.isEmpty() ? "omit it" : "use one of " + String.join(", ", names)));
    }
  }

  /** A string that every database can store. */
  public Optional<String> text(String member) {
    Optional<String> text = anyText(member);
    if (text.isPresent() && text.get().indexOf('\0') >= 0) {
      throw invalid(member, "a string without the character U+0000");
    }
    return text;
  }

  /** A string that is stored as JSON, and so may hold every character. */
  public Optional<String> anyText(String member) {
    JsonValue value = value(member);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonValue.Text text) {
      return Optional.of(text.value());
    }
    throw wrong(member, value, "a string");
  }

  /** A string without which the call makes no sense. */
  public String required(String member) {
    return text(member).orElseThrow(
        () -> Problems.invalid(member, "'" + member + "' is missing", "send it as a string in the body"));
  }

  /** A list of strings; empty when it is left out. */
  public List<String> texts(String member) {
    JsonValue value = value(member);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof JsonValue.Items items)) {
      throw wrong(member, value, "a list of strings");
    }
    List<String> texts = new ArrayList<>();
    for (JsonValue item : items.values()) {
      texts.add(item instanceof JsonValue.Text text ? text.value() : wrongItem(member));
    }
    return texts;
  }

  private static String wrongItem(String member) {
    throw invalid(member, "a list of strings, and of nothing else");
  }

  /** A whole number, written as one. */
  public Optional<Long> integer(String member, long min, long max) {
    JsonValue value = value(member);
    if (value == null) {
      return Optional.empty();
    }
    long number = json.integer(member).orElseThrow(() -> wrong(member, value, range(min, max)));
    if (number < min || number > max) {
      throw wrong(member, value, range(min, max));
    }
    return Optional.of(number);
  }

  /** True or false; false when it is left out. */
  public boolean flag(String member) {
    JsonValue value = value(member);
    if (value == null) {
      return false;
    }
    if (value instanceof JsonValue.Bool flag) {
      return flag.value();
    }
    throw wrong(member, value, "true or false");
  }

  /** An object. */
  public Optional<JsonObject> object(String member) {
    JsonValue value = value(member);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonObject object) {
      return Optional.of(object);
    }
    // What was sent instead is not repeated: it may be the secret that belongs inside.
    throw invalid(member, "an object, not " + kind(value));
  }

  /** Whether a member was sent, and was not null. */
  public boolean has(String member) {
    return value(member) != null;
  }

  /** Any value, as the JSON that was sent, also null. */
  public String json(String member) {
    JsonValue value = json.get(member);
    if (value == null) {
      throw Problems.invalid(member, "'" + member + "' is missing", "send any JSON value as '" + member + "'");
    }
    return json.raw(value);
  }

  private static String kind(JsonValue value) {
    return switch (value) {
      case JsonObject _ -> "an object";
      case JsonValue.Items _ -> "a list";
      case JsonValue.Text _ -> "a string";
      case JsonValue.Numeral _ -> "a number";
      case JsonValue.Bool _ -> "true or false";
      case JsonValue.Null _ -> "null";
    };
  }

  private @Nullable JsonValue value(String member) {
    JsonValue value = json.get(member);
    return value instanceof JsonValue.Null ? null : value;
  }

  private static String range(long min, long max) {
    return "a whole number from " + min + " to " + max;
  }

  private Rejected wrong(String member, JsonValue value, String expected) {
    return invalid(member, expected + ", not " + shown(json.raw(value)));
  }

  private static Rejected invalid(String member, String expected) {
    return Problems.invalid(member, "'" + member + "' must be " + expected,
        "correct the value or omit '" + member + "' out");
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? "'" + text + "'" : "'" + text.substring(0, MAX_SHOWN) + "…'";
  }
}

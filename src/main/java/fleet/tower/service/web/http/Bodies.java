package fleet.tower.service.web.http;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Rejected;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.Nearest;
import fleet.tower.service.call.Body;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Reads the bodies of calls: UTF-8, one object, each key once, known members only, each value of the type of its record
 * component. A missing body is an empty object.
 */
final class Bodies {
  private static final int MAX_SHOWN = 40;
  private static final int MAX_DEPTH = 64;
  private static final Object SOURCE = new Object();
  private static final JsonMapper MAPPER = JsonMapper
      .builder(JsonFactory.builder().streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH)
          .maxStringLength(HttpProblems.MAX_BODY).maxNameLength(HttpProblems.MAX_BODY)
          .maxNumberLength(HttpProblems.MAX_BODY).build()).enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
      .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
      .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, DeserializationFeature.ACCEPT_FLOAT_AS_INT)
      .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
      .withCoercionConfigDefaults(coercions -> Arrays.stream(CoercionInputShape.values())
          .forEach(shape -> coercions.setCoercion(shape, CoercionAction.Fail)))
      .addModule(new SimpleModule().addDeserializer(JsonObject.class, new ObjectReader()))
      .build();

  /** The components of a body's type; reflection creates new ones, without their annotations, at each call. */
  private static final ClassValue<List<RecordComponent>> COMPONENTS = new ClassValue<>() {
    @Override
    protected List<RecordComponent> computeValue(Class<?> type) {
      List<RecordComponent> components = List.of(type.getRecordComponents());
      components.forEach(component -> component.getAccessor().setAccessible(true));
      return components;
    }
  };

  private final Validator validator;

  Bodies(Validator validator) {
    this.validator = validator;
  }

  /** Reads the body of a request: at most {@value HttpProblems#MAX_BODY} bytes of JSON, not compressed. */
  Body read(HttpServletRequest request, Class<? extends Body> type) throws IOException {
    byte[] bytes = RawBody.read(request);
    if (bytes.length == 0) {
      HttpAsked.received(request, "");
      return read("{}", type);
    }
    String text = decoded(bytes);
    HttpAsked.received(request, text);
    return read(text, type);
  }

  /** Jackson would accept overlong UTF-8, UTF-16 and a byte order mark. */
  private static String decoded(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw notJson("not valid UTF-8");
    }
  }

  Body read(String text, Class<? extends Body> type) {
    try {
      Body body = MAPPER.readerFor(type).withAttribute(SOURCE, text).readValue(text);
      if (body == null) {
        throw notJson("not an object");
      }
      check(body, text);
      return body;
    } catch (JacksonException e) {
      throw refusal(e, type, text);
    }
  }

  static void requireKnown(String what, String key, List<String> names) {
    if (!names.contains(key)) {
      throw CommonProblems.invalid(key, "there is no " + what + " " + shown(key), Nearest.of(key, names)
          .map(name -> "did you mean '" + name + "'?")
          .orElse(names.isEmpty() ? "omit it" : "use one of " + String.join(", ", names)));
    }
  }

  private void check(Body body, String text) {
    Set<ConstraintViolation<Body>> violations = validator.validate(body);
    for (RecordComponent component : COMPONENTS.get(body.getClass())) {
      for (ConstraintViolation<Body> violation : violations) {
        String at = violation.getPropertyPath().iterator().next().getName();
        if (component.getName().equals(at)) {
          boolean isMissing = violation.getConstraintDescriptor().getAnnotation() instanceof NotNull
              && violation.getPropertyPath().toString().equals(at);
          throw isMissing
              ? missing(component)
              : wrong(component, !component.getName().equals(
                  violation.getPropertyPath().toString()), sent(text));
        }
      }
      if (component.getType() == String.class
          && Objects.toString(value(component, body), "").indexOf('\0') >= 0) {
        throw invalid(member(component), "a string without the character U+0000");
      }
    }
  }

  private static @Nullable Object value(RecordComponent component, Body body) {
    try {
      return component.getAccessor().invoke(body);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Rejected refusal(JacksonException failure, Class<? extends Body> type, String text) {
    List<JacksonException.Reference> path = failure.getPath();
    JsonObject sent = sent(text);
    String member = path.isEmpty() ? null : path.getFirst().getPropertyName();
    List<RecordComponent> components = COMPONENTS.get(type);
    if (failure instanceof UnrecognizedPropertyException unknown && path.size() == 1) {
      requireKnown("member", unknown.getPropertyName(), components.stream().map(Bodies::member).toList());
    }
    return components.stream().filter(component -> member(component).equals(member)).findFirst()
        .map(component -> wrong(component, path.size() > 1, sent))
        .orElseGet(() -> notJson("it is not strict JSON"));
  }

  /** The body again, for a message that contains the position of a mistake or the value of a member. */
  private static JsonObject sent(String text) {
    try {
      return JsonReader.readObject(text);
    } catch (JsonException e) {
      throw notJson(String.valueOf(e.getMessage()));
    }
  }

  private static Rejected notJson(String problem) {
    return new Rejected(HttpProblems.malformed("the body is not a JSON object: " + problem));
  }

  private static Rejected missing(RecordComponent component) {
    String member = member(component);
    return CommonProblems.invalid(member, "'" + member + "' is missing", component.getType() == String.class
        ? "send it as a string in the body"
        : "send any JSON value as '" + member + "'");
  }

  private static Rejected wrong(RecordComponent component, boolean isWithin, JsonObject sent) {
    String member = member(component);
    JsonValue value = sent.members().getOrDefault(member, sent);
    if (component.getType() == JsonObject.class) {
      // The value is not repeated: it may be the secret that belongs inside.
      return invalid(member, "an object, not " + kind(value));
    }
    return isWithin
        ? invalid(member, expected(component) + ", and of nothing else")
        : invalid(member, expected(component) + ", not " + shown(sent.raw(value)));
  }

  private static String expected(RecordComponent component) {
    if (component.getType() == String.class) {
      return "a string";
    }
    if (component.getType() == List.class) {
      return "a list of strings";
    }
    if (component.getType() == boolean.class) {
      return "true or false";
    }
    Min min = component.getAccessor().getAnnotation(Min.class);
    Max max = component.getAccessor().getAnnotation(Max.class);
    return "a whole number from " + (min == null ? Long.MIN_VALUE : min.value()) + " to "
        + (max == null ? Long.MAX_VALUE : max.value());
  }

  static String kind(JsonValue value) {
    return switch (value) {
      case JsonObject _ -> "an object";
      case JsonValue.Items _ -> "a list";
      case JsonValue.Text _ -> "a string";
      case JsonValue.Numeral _ -> "a number";
      case JsonValue.Bool _ -> "true or false";
      case JsonValue.Null _ -> "null";
    };
  }

  private static Rejected invalid(String member, String expected) {
    return CommonProblems.invalid(member, "'" + member + "' must be " + expected,
        "correct the value or omit '" + member + "'");
  }

  private static String member(RecordComponent component) {
    return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? "'" + text + "'" : "'" + text.substring(0, MAX_SHOWN) + "…'";
  }

  /** The text of the value that the parser is at. */
  private static String raw(JsonParser parser, DeserializationContext context) {
    int start = (int) parser.currentTokenLocation().getCharOffset();
    parser.skipChildren();
    parser.finishToken();
    int end = (int) parser.currentLocation().getCharOffset();
    return ((String) context.getAttribute(SOURCE)).substring(start, end);
  }

  /** Keeps an object as it was written. */
  private static final class ObjectReader extends ValueDeserializer<JsonObject> {
    @Override
    public JsonObject deserialize(JsonParser parser, DeserializationContext context) {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        return (JsonObject) context.handleUnexpectedToken(JsonObject.class, parser);
      }
      try {
        return JsonReader.readObject(raw(parser, context));
      } catch (JsonException e) {
        return context.reportInputMismatch(JsonObject.class, "%s", e.getMessage());
      }
    }
  }
}

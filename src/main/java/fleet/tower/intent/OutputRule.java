package fleet.tower.intent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.VisibleText;

/**
 * The form that the output of a step must have.
 *
 * @param maxBytes the length of the longest output
 */
public record OutputRule(Form form, int maxBytes) {
  public static final int DEFAULT_MAX_BYTES = 64 << 10;
  public static final int MOST_BYTES = 1 << 20;
  private static final int MAX_READS = 100_000_000;
  private static final int MAX_SHOWN = 80;
  private static final int MAX_VIOLATION = 200;

  /** A form. */
  public sealed interface Form {}

  /** Each line matches a pattern as a whole. */
  public record Lines(Pattern pattern) implements Form {}

  /** One JSON document. */
  public record Json() implements Form {}

  /**
   * One JSON document that a JSON Schema accepts.
   *
   * @param json the schema
   */
  public record Schema(JsonObject json, Validator validator) implements Form {}

  /** What checks a document against its schema. */
  public interface Validator {

    /** Where the document that was read from a text breaks the schema, and how. */
    Optional<String> violation(String text, JsonValue document);
  }

  /** Why a whole output does not have the form. */
  public Optional<String> problem(byte[] output) {
    if (output.length > maxBytes) {
      return Optional.of("its output is longer than " + maxBytes + " bytes");
    }
    String text = new String(output, StandardCharsets.UTF_8);
    if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), output)) {
      return Optional.of("its output is not valid UTF-8");
    }
    return switch (form) {
      case Lines(Pattern pattern) -> lineProblem(pattern, text.lines().toList());
      case Json() -> jsonProblem(text, (_, _) -> Optional.empty());
      case Schema(_, Validator validator) -> jsonProblem(text, validator);
    };
  }

  private static Optional<String> jsonProblem(String text, Validator validator) {
    try {
      return validator.violation(text, JsonReader.readValue(text))
          .map(it -> "its output does not match its schema at " + shortened(it, MAX_VIOLATION));
    } catch (JsonException e) {
      return Optional.of("its output is not one JSON document: " + e.getMessage());
    }
  }

  private static Optional<String> lineProblem(Pattern pattern, List<String> lines) {
    LimitedMatch match = new LimitedMatch(MAX_READS);
    for (int i = 0; i < lines.size(); i++) {
      String line = "line " + (i + 1) + " of its output ";
      switch (match.of(pattern, lines.get(i))) {
        case MATCHES -> {
        }
        case DIFFERS -> {
          return Optional.of(line + "does not match " + pattern + ": " + shown(lines.get(i)));
        }
        case TAKES_TOO_LONG -> {
          return Optional.of(line + "takes too long to match against " + pattern + "; simplify the pattern");
        }
      }
    }
    return Optional.empty();
  }

  private static String shown(String line) {
    return "'" + shortened(line, MAX_SHOWN) + "'";
  }

  private static String shortened(String text, int most) {
    return VisibleText.escaped(text.codePointCount(0, text.length()) > most
        ? text.substring(0, text.offsetByCodePoints(0, most)) + "…"
        : text);
  }
}

package fleet.tower.intent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.VisibleText;

/**
 * The form that the output of a step must have.
 *
 * @param lines the pattern that each line must match; null if the output must be one JSON document
 * @param maxBytes the length of the longest output
 */
public record OutputRule(@Nullable Pattern lines, int maxBytes) {
  public static final int DEFAULT_MAX_BYTES = 64 << 10;
  public static final int MOST_BYTES = 1 << 20;
  private static final int MAX_READS = 100_000_000;
  private static final int MAX_SHOWN = 80;

  /** Why a whole output does not have the form. */
  public Optional<String> problem(byte[] output) {
    if (output.length > maxBytes) {
      return Optional.of("its output is longer than " + maxBytes + " bytes");
    }
    String text = new String(output, StandardCharsets.UTF_8);
    if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), output)) {
      return Optional.of("its output is not valid UTF-8");
    }
    return lines == null ? jsonProblem(text) : lineProblem(lines, text.lines().toList());
  }

  private static Optional<String> jsonProblem(String text) {
    try {
      var _ = JsonReader.readValue(text);
      return Optional.empty();
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
    return "'" + VisibleText.escaped(line.codePointCount(0, line.length()) > MAX_SHOWN
        ? line.substring(0, line.offsetByCodePoints(0, MAX_SHOWN)) + "…"
        : line) + "'";
  }
}

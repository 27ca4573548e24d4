package fleet.tower.service.web.http;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;

import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.time.Timestamps;
import jakarta.servlet.http.HttpServletRequest;

/** The query of a path: known parameters, each at most once. */
public final class Query {
  private final Map<String, String> parameters = new HashMap<>();

  Query(HttpServletRequest request) {
    parametersOf(request).forEach((name, values) -> {
      if (values.length > 1) {
        throw CommonProblems.invalid(name, "the parameter '" + name + "' is given " + values.length + " times",
            "give it once");
      }
      if (values[0].indexOf('\0') >= 0) {
        throw CommonProblems.invalid(name, "the parameter '" + name + "' contains the character U+0000", "omit it");
      }
      parameters.put(name, values[0]);
    });
  }

  private static Map<String, String[]> parametersOf(HttpServletRequest request) {
    try {
      return request.getParameterMap();
    } catch (InvalidParameterException e) {
      throw new RefusedCall(Problem.of(ErrorCode.INVALID_REQUEST,
          "the query is invalid: a % is not followed by two hexadecimal digits, or there are too many parameters",
          "write %25 for a percent sign"));
    }
  }

  /** Refuses all parameters but these. */
  public Query allow(String... names) {
    List<String> known = Arrays.asList(names);
    parameters.keySet().forEach(name -> HttpArguments.requireKnown("parameter", name, known));
    return this;
  }

  /** A parameter; an empty one counts as absent. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
  }

  /** The cursor of a page; null for the first page. */
  public @Nullable String cursor() {
    return text(Cursor.PARAMETER).orElse(null);
  }

  /** A time in UTC. */
  public Optional<Instant> moment(String name) {
    return text(name).map(text -> Timestamps.parse(text)
        .orElseThrow(() -> CommonProblems.invalid(name, "'" + name + "' must be a UTC time like 2026-01-31T08:00:00Z",
            "correct the value or omit '" + name + "'")));
  }

  /** A whole number. */
  public Optional<Integer> integer(String name, int min, int max) {
    return text(name).map(value -> {
      if (!value.matches("\\d{1,9}") || Integer.parseInt(value) < min || Integer.parseInt(value) > max) {
        throw CommonProblems.invalid(name, "'" + name + "' must be a whole number from " + min + " to " + max,
            "correct the value or omit '" + name + "'");
      }
      return Integer.valueOf(value);
    });
  }

  /** Whether something is wanted; by default it is not. */
  public boolean flag(String name) {
    return switch (text(name).orElse("false")) {
      case "true" -> true;
      case "false" -> false;
      default ->
        throw CommonProblems.invalid(name, "'" + name + "' must be true or false", "correct the value or omit it");
    };
  }
}

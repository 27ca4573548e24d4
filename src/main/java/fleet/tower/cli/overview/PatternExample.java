package fleet.tower.cli.overview;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/**
 * An example of a text that a regular expression accepts. Plausible texts are tried first; then one is built from the
 * expression, which works for the usual forms. Every example is checked against the expression.
 *
 * @param name the parameter's name, which is an example of a name
 */
record PatternExample(String pattern, String name) {
  private static final String PREFERRED = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@ ";
  private static final Pattern COUNT = Pattern.compile("\\{(\\d{1,3})(?:,\\d*)?}");

  Optional<String> text() {
    Pattern compiled;
    try {
      compiled = Pattern.compile(pattern);
    } catch (PatternSyntaxException ofAnotherDialect) {
      return Optional.empty();
    }
    return Stream.concat(
        Stream.of("web", name, "example", "1.2.0", "v1.2.0", "2026-01-31", "example.com", "/srv/example"),
        new Builder(pattern).text().stream()).filter(text -> compiled.matcher(text).matches()).findFirst();
  }

  /** Builds a text: the first alternative of each group, and of each character set the first preferred character. */
  private static final class Builder {
    private final String pattern;
    private int at;

    Builder(String pattern) {
      this.pattern = pattern;
    }

    /** Empty for a form that is not understood. */
    Optional<String> text() {
      try {
        return Optional.of(group());
      } catch (PatternSyntaxException | StringIndexOutOfBoundsException notUnderstood) {
        return Optional.empty();
      }
    }

    private String group() {
      StringBuilder first = new StringBuilder();
      boolean isFirst = true;
      while (at < pattern.length() && pattern.charAt(at) != ')') {
        if (pattern.charAt(at) == '|') {
          isFirst = false;
          at++;
        } else {
          String atom = atom();
          String repeated = atom.repeat(count());
          first.append(isFirst ? repeated : "");
        }
      }
      at++;
      return first.toString();
    }

    private String atom() {
      char c = pattern.charAt(at);
      int from = at++;
      switch (c) {
        case '(' -> {
          at += pattern.startsWith("?:", at) ? 2 : 0;
          return group();
        }
        case '[' -> {
          at += pattern.startsWith("^", at) ? 1 : 0;
          int first = at;
          while (pattern.charAt(at) != ']' || at == first) {
            at += pattern.charAt(at) == '\\' ? 2 : 1;
          }
          at++;
        }
        case '\\' -> at++;
        case '^', '$' -> {
          return "";
        }
        default -> {
        }
      }
      return character(Pattern.compile(pattern.substring(from, at)));
    }

    private static String character(Pattern set) {
      return Stream.concat(PREFERRED.chars().boxed(), Stream.iterate((int) ' ', it -> it < 127, it -> it + 1))
          .map(Character::toString).filter(text -> set.matcher(text).matches()).findFirst()
          .orElseThrow(() -> new StringIndexOutOfBoundsException(set.pattern()));
    }

    /** How often the quantifier after an atom repeats it, at least. */
    private int count() {
      if (at >= pattern.length()) {
        return 1;
      }
      Matcher exact = COUNT.matcher(pattern).region(at, pattern.length());
      int count = switch (pattern.charAt(at)) {
        case '*', '?' -> 0;
        case '{' -> exact.lookingAt() ? Integer.parseInt(exact.group(1)) : 1;
        default -> 1;
      };
      at = pattern.charAt(at) == '{' && exact.lookingAt()
          ? exact.end()
          : at + ("*?+".indexOf(pattern.charAt(at)) < 0
              ? 0
              : 1);
      at += at < pattern.length() && "?+".indexOf(pattern.charAt(at)) >= 0 ? 1 : 0;
      return count;
    }
  }
}

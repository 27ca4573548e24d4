package fleet.tower.intent;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A text with references to values. It is parsed once and resolved once: references in a value are not resolved, so a
 * parameter cannot reveal another one. A dollar sign before a reference escapes it.
 */
public record Template(String source, List<Part> parts) {
  public Template {
    parts = List.copyOf(parts);
  }

  /** A part of a template. */
  public sealed interface Part {}

  /** Literal text. */
  public record Literal(String text) implements Part {}

  /** A reference to a value; {@code offset} is its position in the source. */
  public record Reference(Variable variable, int offset) implements Part {}

  /** A value that a template may refer to. */
  public sealed interface Variable {
    /** The text between the braces. */
    String written();
  }

  /** The value of a parameter. */
  public record Param(String param) implements Variable {
    @Override
    public String written() {
      return "params." + param;
    }
  }

  /** A value that every run has. */
  public enum Fact implements Variable {
    REQUEST_ID("request.id"), REQUEST_ACTOR("request.actor"), INTENT_NAME("intent.name"), INTENT_VERSION(
        "intent.version"), LOCK_TOKEN("lock.token");

    private final String written;

    Fact(String written) {
      this.written = written;
    }

    @Override
    public String written() {
      return written;
    }

    static Optional<Fact> named(String name) {
      for (Fact fact : values()) {
        if (fact.written.equals(name)) {
          return Optional.of(fact);
        }
      }
      return Optional.empty();
    }
  }

  /** Thrown for a malformed template; {@code offset} is the position of the mistake. */
  public static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;
    private final int offset;

    Malformed(String message, int offset) {
      super(message);
      this.offset = offset;
    }

    public int offset() {
      return offset;
    }
  }

  /** Parses a template. The caller checks that its parameters exist. */
  public static Template parse(String source) throws Malformed {
    List<Part> parts = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < source.length()) {
      if (source.startsWith("$${", at)) {
        literal.append("${");
        at += 3;
      } else if (source.startsWith("${", at)) {
        flush(literal, parts);
        int end = source.indexOf('}', at);
        if (end < 0) {
          throw new Malformed("${ without }; write $${ for a literal ${", at);
        }
        parts.add(new Reference(variable(source.substring(at + 2, end), at), at));
        at = end + 1;
      } else {
        literal.append(source.charAt(at++));
      }
    }
    flush(literal, parts);
    return new Template(source, parts);
  }

  private static void flush(StringBuilder literal, List<Part> parts) {
    if (!literal.isEmpty()) {
      parts.add(new Literal(literal.toString()));
      literal.setLength(0);
    }
  }

  private static Variable variable(String name, int offset) throws Malformed {
    if (name.contains("${")) {
      throw new Malformed("a reference inside a reference is not supported", offset);
    }
    if (name.startsWith("params.") && name.length() > "params.".length()) {
      return new Param(name.substring("params.".length()));
    }
    Optional<Fact> fact = Fact.named(name);
    if (fact.isEmpty()) {
      throw new Malformed("unknown reference ${" + name + "}; use ${params.NAME}, ${request.id}, "
          + "${request.actor}, ${intent.name}, ${intent.version} or ${lock.token}", offset);
    }
    return fact.get();
  }

  /** The references in the template, in order. */
  public List<Reference> references() {
    return parts.stream().filter(Reference.class::isInstance).map(Reference.class::cast).toList();
  }

  /** The text with every reference replaced by its value. */
  public String resolve(Function<Variable, String> values) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      switch (part) {
        case Literal(String literal) -> text.append(literal);
        case Reference(Variable variable, int _) -> text.append(values.apply(variable));
      }
    }
    return text.toString();
  }
}

package fleet.tower.intent;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A text with references to values, read once and resolved once: what a value holds is never looked at again, so a parameter
 * cannot pull out another one. A dollar sign before a reference makes it stand for itself.
 */
public record Template(String source, List<Part> parts) {
  public Template {
    parts = List.copyOf(parts);
  }

  /** A piece of a template. */
  public sealed interface Part {}

  /** Characters that stand for themselves. */
  public record Literal(String text) implements Part {}

  /** A value to be put in; {@code offset} is where it begins in the source. */
  public record Reference(Variable variable, int offset) implements Part {}

  /** What a template may refer to. */
  public sealed interface Variable {
    /** As it is written between the braces. */
    String written();
  }

  /** The value of a parameter. */
  public record Param(String param) implements Variable {
    @Override
    public String written() {
      return "params." + param;
    }
  }

  /** What every run knows of itself. */
  public enum Fact implements Variable {
    REQUEST_ID("request.id"), REQUEST_ACTOR("request.actor"), INTENT_NAME("intent.name"), INTENT_VERSION(
        "intent.version"), LOCK_TOKEN("lock.token");

    private final String written;

    Fact(String written) {
      this.written = written;
    }

    static Optional<Fact> named(String name) {
      for (Fact fact : values()) {
        if (fact.written.equals(name)) {
          return Optional.of(fact);
        }
      }
      return Optional.empty();
    }

    @Override
    public String written() {
      return written;
    }
  }

  /** A text that is no template; {@code offset} is where the mistake begins. */
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

  /** Reads a template. Whether the parameters it names exist is for the caller to check. */
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
      throw new Malformed("a reference inside a reference: templates do not nest", offset);
    }
    if (name.startsWith("params.") && name.length() > "params.".length()) {
      return new Param(name.substring("params.".length()));
    }
    Optional<Fact> fact = Fact.named(name);
    if (fact.isEmpty()) {
      throw new Malformed("${" + name + "} is none of ${params.NAME}, ${request.id}, ${request.actor}, "
          + "${intent.name}, ${intent.version}, ${lock.token}", offset);
    }
    return fact.get();
  }

  /** What it refers to, in order. */
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

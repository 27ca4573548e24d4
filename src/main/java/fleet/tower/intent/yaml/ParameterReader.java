package fleet.tower.intent.yaml;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Parameter;
import fleet.tower.intent.Parameter.Limits;
import fleet.tower.intent.ToolName;
import fleet.tower.intent.Values;
import fleet.tower.intent.Values.Given;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;

/** Parses the parameters of an intent. */
final class ParameterReader {
  private final Complaints complaints;

  ParameterReader(Complaints complaints) {
    this.complaints = complaints;
  }

  /**
   * The parameters that are valid, and the names of all, so that a reference to an invalid one is not reported as
   * well.
   */
  record Declared(List<Parameter> parameters, List<String> names) {
    Optional<Parameter> parameter(String name) {
      return parameters.stream().filter(param -> param.name().equals(name)).findFirst();
    }
  }

  Declared read(List<Node.Entry> entries) {
    List<Parameter> parameters = new ArrayList<>();
    for (Node.Entry entry : entries) {
      reviewName(entry.key());
      type(entry.value()).ifPresent(type -> parameters.add(parameter(entry.key().text(), type, entry.value())));
    }
    return new Declared(parameters, entries.stream().map(entry -> entry.key().text()).toList());
  }

  private void reviewName(Scalar name) {
    if (name.text().startsWith(ToolName.OWN_ARGUMENTS)) {
      complaints.error(name.position(), "the name of a parameter cannot begin with " + ToolName.OWN_ARGUMENTS
          + ", like the arguments that agents give to every intent; rename it");
    }
  }

  private static Optional<Parameter.Type> type(Node param) {
    return param.scalar("type").map(Scalar::text).flatMap(text -> {
      for (Parameter.Type type : Parameter.Type.values()) {
        if (type.toString().equals(text)) {
          return Optional.of(type);
        }
      }
      return Optional.empty();
    });
  }

  private Parameter parameter(String name, Parameter.Type type, Node node) {
    boolean required = isTrue(node, "required");
    boolean secret = isTrue(node, "secret");
    Limits withoutEnum = new Limits(pattern(type, node), List.of(), bound(type, node, "minimum"),
        bound(type, node, "maximum"));
    Parameter draft = new Parameter(name, type, required, null, false, withoutEnum, "");
    List<String> allowed = allowed(draft, node);
    Limits limits = new Limits(withoutEnum.pattern(), allowed, withoutEnum.minimum(), withoutEnum.maximum());
    Parameter limited = new Parameter(name, type, required, null, secret, limits, "");
    String defaultValue = defaultValue(limited, node);
    return new Parameter(name, type, required, defaultValue, secret, limits,
        node.scalar("description").map(Scalar::text).orElse(""));
  }

  static boolean isTrue(Node node, String key) {
    return node.scalar(key).filter(it -> it.kind() == Scalar.Kind.BOOLEAN && it.text().equalsIgnoreCase("true"))
        .isPresent();
  }

  private @Nullable Pattern pattern(Parameter.Type type, Node node) {
    Scalar scalar = node.scalar("pattern").orElse(null);
    if (scalar == null) {
      return null;
    }
    if (type != Parameter.Type.STRING) {
      complaints.error(scalar.position(), "pattern applies to strings only; this parameter has type " + type);
      return null;
    }
    return compile(scalar, complaints);
  }

  /** The pattern of a text; null if it is malformed, which is reported. */
  static @Nullable Pattern compile(Scalar scalar, Complaints complaints) {
    try {
      return Pattern.compile(scalar.text());
    } catch (PatternSyntaxException e) {
      complaints.error(scalar.position(), "is not a valid regular expression: " + e.getDescription()
          + (e.getIndex() < 0 ? "" : ", at character " + (Math.min(e.getIndex(), scalar.text().length() - 1) + 1)));
      return null;
    }
  }

  private @Nullable BigDecimal bound(Parameter.Type type, Node node, String key) {
    Scalar scalar = node.scalar(key).orElse(null);
    if (scalar == null) {
      return null;
    }
    if (type != Parameter.Type.INTEGER && type != Parameter.Type.NUMBER) {
      complaints.error(scalar.position(), key + " applies to numbers only; this parameter has type " + type);
      return null;
    }
    if (scalar.kind() != Scalar.Kind.INTEGER && scalar.kind() != Scalar.Kind.NUMBER) {
      return null;
    }
    BigDecimal bound = new BigDecimal(scalar.text());
    if (key.equals("maximum")) {
      BigDecimal minimum = bound(type, node, "minimum");
      if (minimum != null && minimum.compareTo(bound) > 0) {
        complaints.error(scalar.position(), "the maximum " + bound + " is less than the minimum " + minimum);
        return null;
      }
    }
    return bound;
  }

  /** The values of the enum. Invalid ones are omitted, so that a default cannot match them. */
  private List<String> allowed(Parameter draft, Node node) {
    List<String> allowed = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Node item : node.items("enum")) {
      if (!(item instanceof Scalar scalar) || scalar.kind() == Scalar.Kind.NULL) {
        continue;
      }
      Optional<String> problem = Values.problem(draft, new Given(scalar.text(), Given.Kind.WORD));
      if (!seen.add(scalar.text())) {
        complaints.error(scalar.position(), "duplicate value " + Complaints.shown(scalar.text()));
      } else if (problem.isPresent()) {
        complaints.error(scalar.position(), "a value of this parameter " + problem.get());
      } else {
        allowed.add(scalar.text());
      }
    }
    return allowed;
  }

  private @Nullable String defaultValue(Parameter limited, Node node) {
    Scalar scalar = node.scalar("default").filter(it -> it.kind() != Scalar.Kind.NULL).orElse(null);
    if (scalar == null) {
      return null;
    }
    if (limited.secret()) {
      complaints.error(scalar.position(),
          "a secret parameter cannot have a default: everyone who can read this file could read it");
      return null;
    }
    if (limited.required()) {
      complaints.error(scalar.position(), "a required parameter cannot have a default; remove one of the two");
    }
    Values.problem(limited, new Given(scalar.text(), Given.Kind.WORD))
        .ifPresent(problem -> complaints.error(scalar.position(), "the default " + problem));
    return scalar.text();
  }
}

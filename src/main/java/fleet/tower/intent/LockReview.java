package fleet.tower.intent;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import fleet.tower.intent.Template.Fact;
import fleet.tower.intent.Template.Literal;
import fleet.tower.intent.Template.Param;
import fleet.tower.intent.Template.Part;
import fleet.tower.intent.Template.Reference;
import fleet.tower.lease.LeaseName;

/**
 * Checks a lock template before anything runs: whether it can produce a valid name, and whether two different sets of
 * values can produce the same name. {@code ${params.a}-${params.b}} is {@code x-y-z} both for {@code x-y} and {@code
 * z} and for {@code x} and {@code y-z}, if both parameters may contain the separator.
 */
public final class LockReview {
  /** The most names to try; with more values than this, at least one is valid. */
  private static final int MOST_NAMES = 1000;
  private final List<Parameter> params;
  private final Function<Fact, Optional<String>> facts;
  private final List<Remark> remarks = new ArrayList<>();

  private LockReview(String intentName, String intentVersion, List<Parameter> params) {
    this.facts = fact -> switch (fact) {
      case INTENT_NAME -> Optional.of(intentName);
      case INTENT_VERSION -> Optional.of(intentVersion);
      case REQUEST_ID, REQUEST_ACTOR, LOCK_TOKEN -> Optional.empty();
    };
    this.params = params;
  }

  /** An error or a warning; {@code reference} is the offset of the reference in question, or -1. */
  public record Remark(boolean isError, int reference, String message) {}

  public static List<Remark> of(Template template, String intentName, String intentVersion, List<Parameter> params) {
    LockReview review = new LockReview(intentName, intentVersion, params);
    review.reviewName(template.parts());
    review.reviewCollisions(template.parts());
    return review.remarks;
  }

  private void error(int reference, String message) {
    remarks.add(new Remark(true, reference, message));
  }

  private void warn(int reference, String message) {
    remarks.add(new Remark(false, reference, message));
  }

  private void reviewName(List<Part> parts) {
    if (parts.isEmpty()) {
      error(-1, "is empty; give the lock a name, or remove the line");
    }
    List<String> names = List.of("");
    for (Part part : parts) {
      if (part instanceof Reference reference && fixed(reference).isEmpty()) {
        reviewValues(reference);
      }
      List<String> texts = texts(part);
      if ((long) names.size() * texts.size() > MOST_NAMES) {
        return;
      }
      names = names.stream().flatMap(name -> texts.stream().map(text -> name + text)).toList();
    }
    if (!parts.isEmpty() && names.stream().noneMatch(LeaseName::isValid)) {
      error(-1, "can never be a valid lock name: " + problem(names.getFirst()));
    }
  }

  /**
   * The possible texts of a part. If they cannot be enumerated, a letter replaces the value, so that any remaining
   * mistake is in the literal text around it.
   */
  private List<String> texts(Part part) {
    return switch (part) {
      case Literal(String text) -> List.of(text);
      case Reference reference -> fixed(reference).map(List::of).or(() -> values(reference)).orElse(List.of("x"));
    };
  }

  /** The value that is the same in all runs of the intent. */
  private Optional<String> fixed(Reference reference) {
    return reference.variable() instanceof Fact fact ? facts.apply(fact) : Optional.empty();
  }

  private static String problem(String name) {
    Optional<String> stray = name.codePoints().mapToObj(Character::toString)
        .filter(c -> !LeaseName.isValid("x" + c + "x")).findFirst();
    if (stray.isPresent()) {
      return "'" + stray.get() + "' is not one of a-z 0-9 - _";
    }
    return name.length() > 100 ? "it is longer than 128 characters" : "it must begin and end with a letter or digit";
  }

  /** Warns of enum values and defaults that no lock name may contain: every run that uses one would be rejected. */
  private void reviewValues(Reference reference) {
    List<String> bad = parameter(reference).map(param -> {
      List<String> known = new ArrayList<>(param.limits().allowed());
      if (known.isEmpty() && param.defaultValue() != null) {
        known.add(param.defaultValue());
      }
      return known.stream().filter(value -> value.isEmpty() || !LeaseName.isValid("x" + value + "x")).toList();
    }).orElse(List.of());
    if (!bad.isEmpty()) {
      warn(reference.offset(), "the value '" + bad.getFirst()
          + "' cannot be part of a lock name, which allows only a-z 0-9 - _");
    }
  }

  private void reviewCollisions(List<Part> parts) {
    for (int i = 0; i < parts.size(); i++) {
      if (!(parts.get(i) instanceof Reference left)) {
        continue;
      }
      if (left.variable() == Fact.REQUEST_ID) {
        warn(left.offset(), "every run has its own request id, so this lock excludes no other run");
      }
      Part next = i + 1 < parts.size() ? parts.get(i + 1) : new Literal("");
      if (next instanceof Reference right) {
        reviewPair(left, "", right);
      } else if (next instanceof Literal(String separator) && separator.length() == 1 && i + 2 < parts.size()
          && parts.get(i + 2) instanceof Reference right) {
        reviewPair(left, separator, right);
      }
    }
  }

  private void reviewPair(Reference left, String separator, Reference right) {
    if (fixed(left).isPresent() || fixed(right).isPresent()) {
      return;
    }
    Optional<List<String>> lefts = values(left);
    Optional<List<String>> rights = values(right);
    boolean mayCollide;
    if (lefts.isPresent() && rights.isPresent()) {
      mayCollide = hasDuplicate(lefts.get(), separator, rights.get());
    } else {
      mayCollide = separator.isEmpty()
          || (mayContain(left, separator.charAt(0)) && mayContain(right, separator.charAt(0)));
    }
    if (mayCollide) {
      warn(right.offset(),
          "different values of ${" + left.variable().written() + "} and ${" + right.variable().written()
              + "} can produce the same lock name and then exclude each other: " + (separator.isEmpty()
                  ? "nothing separates them; put a - between them"
                  : "both may contain '" + separator + "'; exclude it from one with a pattern or an enum"));
    }
  }

  private static boolean hasDuplicate(List<String> lefts, String separator, List<String> rights) {
    Set<String> seen = new HashSet<>();
    return !lefts.stream().flatMap(left -> rights.stream().map(right -> left + separator + right)).allMatch(seen::add);
  }

  private Optional<Parameter> parameter(Reference reference) {
    return reference.variable() instanceof Param(String name)
        ? params.stream().filter(param -> param.name().equals(name)).findFirst()
        : Optional.empty();
  }

  /** All possible values, if they can be enumerated. */
  private Optional<List<String>> values(Reference reference) {
    return parameter(reference).flatMap(param -> param.type() == Parameter.Type.BOOLEAN
        ? Optional.of(List.of("true", "false"))
        : Optional.of(param.limits().allowed()).filter(allowed -> !allowed.isEmpty()));
  }

  private boolean mayContain(Reference reference, char separator) {
    Optional<List<String>> values = values(reference);
    if (values.isPresent()) {
      return values.get().stream().anyMatch(value -> value.indexOf(separator) >= 0);
    }
    return parameter(reference).map(param -> switch (param.type()) {
      case BOOLEAN -> false;
      case INTEGER -> separator == '-'
          && (param.limits().minimum() == null || param.limits().minimum().signum() < 0);
      case NUMBER -> separator != '_';
      case STRING -> param.limits().pattern() == null || mayMatch(param.limits().pattern().pattern(), separator);
    }).orElse(true);
  }

  /**
   * Whether a text that matches a pattern may contain a character. Only patterns of plain characters, sets like
   * {@code [a-z0-9]}, groups and counts are understood; for any other pattern the answer is yes.
   */
  static boolean mayMatch(String pattern, char wanted) {
    boolean inSet = false;
    for (int at = 0; at < pattern.length(); at++) {
      char c = pattern.charAt(at);
      if (c == '\\' && pattern.startsWith("\\d", at)) {
        at++;
      } else if ("\\.&".indexOf(c) >= 0 || pattern.startsWith("[^", at) || pattern.startsWith("(?", at)
          || (inSet && c == '[')) {
        return true;
      } else if (!inSet && c == '[') {
        inSet = true;
      } else if (c == ']') {
        inSet = false;
      } else if (inSet && at + 2 < pattern.length() && pattern.charAt(at + 1) == '-' && pattern.charAt(at + 2) != ']') {
        if (c <= wanted && wanted <= pattern.charAt(at + 2)) {
          return true;
        }
        at += 2;
      } else if (c == wanted) {
        return true;
      }
    }
    return false;
  }
}

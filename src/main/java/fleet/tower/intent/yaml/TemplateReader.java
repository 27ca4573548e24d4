package fleet.tower.intent.yaml;

import java.util.List;
import java.util.Optional;

import fleet.tower.intent.ArgumentReview;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Template;
import fleet.tower.intent.Template.Fact;
import fleet.tower.intent.Template.Param;
import fleet.tower.intent.Template.Reference;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;

/** Reads templates, and checks that what they refer to is there and may stand where they stand. */
final class TemplateReader {
  private final ParameterReader.Declared params;
  private final boolean hasLock;
  private final Complaints complaints;

  /** For an intent with these parameters, whose runs have a lock or have none. */
  TemplateReader(ParameterReader.Declared params, boolean hasLock, Complaints complaints) {
    this.params = params;
    this.hasLock = hasLock;
    this.complaints = complaints;
  }

  /** Where a template stands. */
  enum Use {
    LOCK, ARGUMENT, ENVIRONMENT
  }

  /** The template, or nothing where it is none; what it refers to is complained of if it must not. */
  Optional<Template> read(Scalar scalar, Use use) {
    try {
      Template template = Template.parse(scalar.text());
      for (Reference reference : template.references()) {
        check(reference, scalar.placeOf(reference.offset()), use);
      }
      return Optional.of(template);
    } catch (Template.Malformed e) {
      complaints.error(scalar.placeOf(e.offset()), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** The parameters that a template may refer to. */
  List<Parameter> parameters() {
    return params.parameters();
  }

  /** Warns of what is doubtful in words that come from these places. */
  void review(List<ArgumentReview.Remark> remarks, List<Scalar> sources) {
    remarks.forEach(it -> complaints.warn(sources.get(it.word()).placeOf(it.reference()), it.message()));
  }

  private void check(Reference reference, Node.Place place, Use use) {
    switch (reference.variable()) {
      case Param(String name) when !params.names().contains(name) -> complaints.error(place, "there is no parameter "
          + Complaints.shown(name) + Nearest.of(name, params.names()).map(near -> "; did you mean '" + near + "'?")
              .orElseGet(() -> params.names().isEmpty()
                  ? "; declare it under params"
                  : "; there are " + String.join(", ", params.names())));
      case Param(String name) -> params.parameter(name).ifPresent(param -> check(param, place, use));
      case Fact fact when fact == Fact.LOCK_TOKEN && use == Use.LOCK ->
        complaints.error(place, "${lock.token} is known only once the lock is held; its name cannot have it");
      case Fact fact when fact == Fact.LOCK_TOKEN && !hasLock ->
        complaints.error(place, "${lock.token} needs a lock; this intent takes none");
      case Fact _ -> {
      }
    }
  }

  private void check(Parameter param, Node.Place place, Use use) {
    if (param.secret() && use != Use.ENVIRONMENT) {
      complaints.error(place, "parameter '" + param.name() + "' is secret, and everybody may see "
          + (use == Use.LOCK ? "the names of locks" : "the arguments of a program") + "; steps have it as $"
          + param.variable() + ", or under a name of your own by env");
    } else if (!param.required() && param.fallback() == null) {
      complaints.error(place, "parameter '" + param.name()
          + "' can be without a value; make it required, or give it a default");
    }
  }
}

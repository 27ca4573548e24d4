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

/** Parses templates, and checks that each reference exists and is allowed where it is used. */
final class TemplateReader {
  static final String NO_TOKEN = "a probe gets no fencing token; it looks without a lock, and changes nothing";

  private final ParameterReader.Declared params;
  private final boolean hasLock;
  private final boolean isProbe;
  private final Complaints complaints;

  /** @param hasLock whether the intent's runs take a lock */
  TemplateReader(ParameterReader.Declared params, boolean hasLock, Complaints complaints) {
    this(params, hasLock, false, complaints);
  }

  private TemplateReader(ParameterReader.Declared params, boolean hasLock, boolean isProbe, Complaints complaints) {
    this.params = params;
    this.hasLock = hasLock;
    this.isProbe = isProbe;
    this.complaints = complaints;
  }

  /** The same for what looks without a lock. */
  TemplateReader ofProbe() {
    return new TemplateReader(params, false, true, complaints);
  }

  /** Where a template is used. */
  enum Use {
    LOCK, ARGUMENT, ENVIRONMENT, STATE
  }

  /** Parses a template; empty if it is malformed. Mistakes are reported. */
  Optional<Template> read(Scalar scalar, Use use) {
    try {
      Template template = Template.parse(scalar.text());
      for (Reference reference : template.references()) {
        check(reference, scalar.positionOf(reference.offset()), use);
      }
      return Optional.of(template);
    } catch (Template.Malformed e) {
      complaints.error(scalar.positionOf(e.offset()), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** The parameters that a template may refer to. */
  List<Parameter> parameters() {
    return params.parameters();
  }

  /** Reports remarks as warnings at the positions of the words. */
  void review(List<ArgumentReview.Remark> remarks, List<Scalar> sources) {
    remarks.forEach(it -> complaints.warn(sources.get(it.word()).positionOf(it.reference()), it.message()));
  }

  private void check(Reference reference, Node.Position position, Use use) {
    switch (reference.variable()) {
      case Param(String name) when !params.names().contains(name) -> complaints.error(position, "there is no parameter "
          + Complaints.shown(name) + Nearest.of(name, params.names()).map(near -> "; did you mean '" + near + "'?")
              .orElseGet(() -> params.names().isEmpty()
                  ? "; declare it under params"
                  : "; the parameters are " + String.join(", ", params.names())));
      case Param(String name) -> params.parameter(name).ifPresent(param -> check(param, position, use));
      case Fact fact when fact == Fact.LOCK_TOKEN && use == Use.LOCK ->
        complaints.error(position,
            "${lock.token} is known only after the lock is acquired; a lock name cannot contain it");
      case Fact fact when fact == Fact.LOCK_TOKEN && isProbe ->
        complaints.error(position, NO_TOKEN);
      case Fact fact when fact == Fact.LOCK_TOKEN && !hasLock ->
        complaints.error(position, "${lock.token} needs a lock; this intent takes none");
      case Fact _ -> {
      }
    }
  }

  private void check(Parameter param, Node.Position position, Use use) {
    if (param.secret() && use != Use.ENVIRONMENT) {
      complaints.error(position, "parameter '" + param.name() + "' is secret, but "
          + switch (use) {
            case LOCK -> "lock names are visible to all users";
            case STATE -> "a state is shown to all readers of plans and runs; print a digest of it instead";
            case ARGUMENT, ENVIRONMENT -> "program arguments are visible to all users";
          } + (use == Use.STATE
              ? ""
              : isProbe
                  ? "; a probe reads it from a variable set in env"
                  : "; steps read it from $" + param.variable() + ", or from another variable set in env"));
    } else if (!param.required() && param.defaultValue() == null) {
      complaints.error(position, "parameter '" + param.name()
          + "' may have no value; make it required or give it a default");
    }
  }
}

package fleet.tower.intent.yaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Desired;
import fleet.tower.intent.Intent.Step;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Template;
import fleet.tower.intent.Template.Param;
import fleet.tower.intent.Template.Reference;
import fleet.tower.intent.yaml.TemplateReader.Use;
import fleet.tower.platform.json.CanonicalJson;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.JsonNodes;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;

/** Parses the probe of an intent and the state that it must see after a run. */
final class ProbeReader {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Node spec;
  private final TemplateReader templates;
  private final Complaints complaints;

  /** @param templates parses the templates of a probe */
  ProbeReader(Node spec, TemplateReader templates, Complaints complaints) {
    this.spec = spec;
    this.templates = templates;
    this.complaints = complaints;
  }

  /** The probe; null if there is none. */
  @Nullable
  Probe read() {
    Optional<Node> desired = spec.node("desired");
    Optional<Node> probe = spec.node(Probe.NAME);
    if (probe.isEmpty()) {
      desired.ifPresent(it -> complaints.error(it.position(),
          "needs a probe that prints the state; add spec.probe, or remove desired"));
      return null;
    }
    Desired state = desired.map(this::desired).orElse(null);
    return new StepReader(spec, templates, complaints).probe(probe.get(), TIMEOUT).map(look -> {
      rejectSecrets(look, probe.get());
      return new Probe(look, state);
    }).orElse(null);
  }

  /** A probe gets no fencing token, and no secret parameter unless its environment names that. */
  private void rejectSecrets(Step look, Node probe) {
    if (look.action() instanceof Step.Script(String text)) {
      Node.Position position = probe.scalar("script").map(Scalar::position).orElse(probe.position());
      templates.parameters().stream().filter(param -> param.secret() && text.contains(param.variable()))
          .forEach(param -> complaints.error(position, "reads $" + param.variable()
              + ", but a probe gets a secret parameter only by its env, such as env: { VALUE: \"${params."
              + param.name()
              + "}\" }"));
      if (text.contains("TOWER_LOCK_TOKEN")) {
        complaints.error(position, "reads $TOWER_LOCK_TOKEN, but " + TemplateReader.NO_TOKEN);
      }
    }
  }

  private Desired desired(Node node) {
    return switch (node) {
      case Node.Mapping mapping -> {
        Map<String, Desired> members = new LinkedHashMap<>();
        mapping.entries().forEach(entry -> members.put(entry.key().text(), desired(entry.value())));
        yield new Desired.Members(members);
      }
      case Node.Sequence sequence -> {
        List<Desired> elements = new ArrayList<>();
        sequence.items().forEach(item -> elements.add(desired(item)));
        yield new Desired.Elements(elements);
      }
      case Scalar scalar -> value(scalar);
    };
  }

  private Desired value(Scalar scalar) {
    return switch (scalar.kind()) {
      case STRING -> templates.read(scalar, Use.STATE).<Desired>map(it -> new Desired.Text(it, type(it)))
          .orElse(new Desired.Fixed("null"));
      case INTEGER, NUMBER -> {
        if (!CanonicalJson.isExact(scalar.text())) {
          complaints.error(scalar.position(), "cannot be compared exactly; put it in quotes, and print it as a string");
        }
        yield new Desired.Fixed(JsonNodes.write(scalar));
      }
      case BOOLEAN, NULL -> new Desired.Fixed(JsonNodes.write(scalar));
    };
  }

  /** A text that consists of a reference to a parameter has the type of that. */
  private Parameter.Type type(Template template) {
    return template.parts().size() == 1
        && template.parts().getFirst() instanceof Reference(Param(String name), int _)
            ? templates.parameters().stream().filter(it -> it.name().equals(name)).map(Parameter::type).findFirst()
                .orElse(Parameter.Type.STRING)
            : Parameter.Type.STRING;
  }
}

package fleet.tower.intent.yaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.yaml.ApprovalBlock;
import fleet.tower.intent.ArgumentReview;
import fleet.tower.intent.Controls;
import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.intent.LockReview;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Template;
import fleet.tower.intent.ToolName;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * Parses an intent. Reading continues after a mistake, so that one pass reports all of them; only a file without
 * errors yields an intent.
 */
final class IntentReader {

  private final String name;
  private final Complaints complaints;

  /** @param name the name that the intent must have */
  private IntentReader(String name, Complaints complaints) {
    this.name = name;
    this.complaints = complaints;
  }

  static Optional<Intent> read(String text, String name, YamlSchema schema, Complaints complaints) {
    Optional<Node> root = NodeReader.read(text, IntentFiles.KIND, complaints);
    root.ifPresent(node -> schema.violations(node).forEach(it -> complaints.error(it.position(), it.message())));
    return root.map(node -> new IntentReader(name, complaints).intent(node)).filter(_ -> !complaints.hasErrors());
  }

  private Intent intent(Node root) {
    Node metadata = root.node("metadata").orElse(root);
    Node spec = root.node("spec").orElse(root);
    metadata.scalar("name").filter(it -> !it.text().equals(name))
        .ifPresent(it -> complaints.error(it.position(), "is " + Complaints.shown(it.text())
            + ", but the file is named " + name + ".yaml; the two names must match"));
    metadata.scalar("name").ifPresent(
        it -> ToolName.problem(it.text()).ifPresent(problem -> complaints.error(it.position(), problem)));
    Intent.Mode mode = spec.scalar("mode").flatMap(IntentReader::mode).orElse(Intent.Mode.MUTATE);
    ParameterReader.Declared params = new ParameterReader(complaints).read(spec.entries("params"));
    Optional<Scalar> lock = spec.node("controls").flatMap(controls -> controls.scalar("lock"));
    TemplateReader templates = new TemplateReader(params, lock.isPresent() && mode != Intent.Mode.OBSERVE, complaints);
    Template lockTemplate = lock
        .flatMap(it -> lock(it, templates, text(metadata, "version"), params.parameters())).orElse(null);
    if (mode == Intent.Mode.OBSERVE) {
      lock.ifPresent(it -> complaints.warn(it.position(),
          "an observe intent takes no lock, so this line has no effect; remove it, or use another mode"));
    }
    Intent.Timeouts timeouts = timeouts(spec);
    StepReader reader = new StepReader(spec, templates, complaints);
    spec.node(Probe.NAME).ifPresent(node -> reader.reserve(node, Probe.NAME));
    Probe probe = new ProbeReader(spec, templates.ofProbe(), complaints).read();
    List<Intent.Step> steps = reader.read(spec.items("steps"));
    List<Intent.Step> rollback = reader.read(spec.items("rollback"));
    reviewProgress(spec, timeouts, steps);
    reviewUnattended(spec, "on_stale", "take", "refuse", mode);
    reviewSettling(spec, probe);
    reviewUnattended(spec, "on_interrupted", "release", "keep", mode);
    Intent.Schedule schedule = spec.scalar("schedule").map(it -> schedule(it, mode, params.parameters())).orElse(null);
    return new Intent(new Intent.Metadata(name, text(metadata, "version"), text(metadata, "description")), mode,
        params.parameters(), new Controls(lockTemplate, heartbeat(spec), onLockLost(spec),
            onStale(spec), onInterrupted(spec), foreign(spec, "respect", templates), exclusive(spec, mode, templates)),
        timeouts,
        new Intent.Procedure(steps, rollback, effect(spec, mode), reader.secrets(), probe), schedule, runsOn(spec),
        approve(spec, params.parameters()));
  }

  /** What the intent says, and for each step that says more, what the step says. */
  private Effect effect(Node spec, Intent.Mode mode) {
    Optional<Scalar> all = spec.scalar("effect");
    List<Optional<Scalar>> steps = spec.items("steps").stream().map(step -> step.scalar("effect")).toList();
    if (mode == Intent.Mode.OBSERVE) {
      Stream.concat(Stream.of(all), steps.stream()).flatMap(Optional::stream)
          .forEach(it -> complaints.error(it.position(),
              "an observe intent changes nothing, so there is nothing to undo; remove this line, or use another mode"));
      return Effect.NONE;
    }
    Effect otherwise = all.flatMap(IntentReader::effect).orElse(Effect.UNKNOWN);
    return Effect.ofAll(Stream.concat(all.flatMap(IntentReader::effect).stream(),
        steps.stream().map(it -> it.flatMap(IntentReader::effect).orElse(otherwise))));
  }

  /** The effect of a word; empty if the schema has already reported it as invalid. */
  private static Optional<Effect> effect(Scalar word) {
    return Stream.of(Effect.REVERSIBLE, Effect.EXTERNAL, Effect.IRREVERSIBLE)
        .filter(it -> it.toString().equals(word.text())).findFirst();
  }

  private @Nullable ApprovalRule approve(Node spec, List<Parameter> params) {
    Node block = spec.node("approve").orElse(null);
    if (block == null) {
      return null;
    }
    for (Node.Entry condition : block.entries("when")) {
      Parameter param = params.stream().filter(it -> it.name().equals(condition.key().text())).findFirst().orElse(null);
      if (param == null) {
        complaints.error(condition.key().position(), "is not a parameter of the intent");
      } else if (param.secret()) {
        complaints.error(condition.key().position(), "is a secret parameter, which a condition would show");
      }
    }
    return ApprovalBlock.read(block, complaints);
  }

  /** The labels that a host must have; the schema has checked them. */
  private List<String> runsOn(Node spec) {
    List<String> labels = new ArrayList<>();
    for (Node item : spec.items("runs_on")) {
      if (item instanceof Scalar label) {
        if (labels.contains(label.text())) {
          complaints.warn(label.position(), "the label " + Complaints.shown(label.text()) + " is named before");
        }
        labels.add(label.text());
      }
    }
    return labels.stream().distinct().toList();
  }

  private static String text(Node node, String key) {
    return node.scalar(key).map(Scalar::text).orElse("");
  }

  private static Optional<Intent.Mode> mode(Scalar scalar) {
    for (Intent.Mode mode : Intent.Mode.values()) {
      if (mode.toString().equals(scalar.text())) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }

  private Optional<Template> lock(Scalar scalar, TemplateReader templates, String version, List<Parameter> params) {
    Optional<Template> template = templates.read(scalar, TemplateReader.Use.LOCK);
    template.ifPresent(it -> {
      for (LockReview.Remark remark : LockReview.of(it, name, version, params)) {
        Node.Position position = remark.reference() < 0 ? scalar.position() : scalar.positionOf(remark.reference());
        if (remark.isError()) {
          complaints.error(position, remark.message());
        } else {
          complaints.warn(position, remark.message());
        }
      }
    });
    return template;
  }

  /** Other tools' locks; the schema has already checked their kinds. */
  private static List<Template> foreign(Node spec, String key, TemplateReader templates) {
    return spec.node("controls").map(controls -> controls.items(key)).orElse(List.of()).stream()
        .filter(Scalar.class::isInstance)
        .flatMap(item -> foreign((Scalar) item, templates).stream()).toList();
  }

  private static Optional<Template> foreign(Scalar name, TemplateReader templates) {
    Optional<Template> template = templates.read(name, TemplateReader.Use.LOCK);
    template.ifPresent(
        it -> templates.review(ArgumentReview.ofPath(it, templates.parameters()), List.of(name)));
    return template;
  }

  private List<Template> exclusive(Node spec, Intent.Mode mode, TemplateReader templates) {
    List<Template> exclusive = foreign(spec, "exclusive", templates);
    if (mode == Intent.Mode.OBSERVE) {
      spec.node("controls").flatMap(controls -> controls.node("exclusive")).ifPresent(node -> complaints.error(
          node.position(), "an observe intent holds no lock; use respect, or another mode"));
    }
    return exclusive;
  }

  private static Controls.Heartbeat heartbeat(Node spec) {
    return hasControl(spec, "heartbeat", "progress") ? Controls.Heartbeat.PROGRESS : Controls.Heartbeat.TIMER;
  }

  /**
   * Warns where {@code heartbeat: progress} has no effect: without a lock, or if a stuck step times out before its
   * lock goes stale.
   */
  private void reviewProgress(Node spec, Intent.Timeouts timeouts, List<Intent.Step> steps) {
    Optional<Scalar> progress = spec.node("controls").flatMap(it -> it.scalar("heartbeat"))
        .filter(it -> it.text().equals("progress"));
    if (progress.isEmpty()) {
      return;
    }
    long ttl = timeouts.lockTtl().seconds();
    long longest = steps.stream().map(Intent.Step::timeout)
        .mapToLong(it -> (it == null ? timeouts.step() : it).toSeconds())
        .max().orElse(ttl + 1);
    if (spec.node("controls").flatMap(it -> it.scalar("lock")).isEmpty()) {
      complaints.warn(progress.get().position(), "heartbeat: progress has no effect without a lock; add controls.lock");
    } else if (longest <= ttl) {
      complaints.warn(progress.get().position(),
          "heartbeat: progress has no effect: a stuck step times out after " + longest
              + " s, before its lock goes stale after " + ttl
              + " s; make timeouts.lock_ttl shorter than timeouts.step");
    }
  }

  private static Controls.OnLockLost onLockLost(Node spec) {
    return hasControl(spec, "on_lock_lost", "continue") ? Controls.OnLockLost.CONTINUE : Controls.OnLockLost.STOP;
  }

  private static Controls.OnStale onStale(Node spec) {
    return Stream.of(Controls.OnStale.values()).filter(it -> hasControl(spec, "on_stale", it.toString())).findFirst()
        .orElse(Controls.OnStale.REFUSE);
  }

  private static Controls.OnInterrupted onInterrupted(Node spec) {
    return hasControl(spec, "on_interrupted", "release")
        ? Controls.OnInterrupted.RELEASE
        : Controls.OnInterrupted.KEEP;
  }

  /** Rejects the automatic handling of a dead holder's lock if interrupted work needs attention first. */
  private void reviewUnattended(Node spec, String control, String word, String otherwise, Intent.Mode mode) {
    Optional<Scalar> given = spec.node("controls").flatMap(it -> it.scalar(control))
        .filter(it -> it.text().equals(word));
    if (given.isPresent() && mode != Intent.Mode.RECONCILE) {
      complaints.error(given.get().position(),
          control + ": " + word + " is for mode reconcile only, where a repeated run"
              + " completes the interrupted work; in a" + (mode == Intent.Mode.OBSERVE ? "n observe" : " mutate")
              + " intent write "
              + control + ": " + otherwise + ", or remove the line");
    } else if (given.isPresent() && spec.node("controls").flatMap(it -> it.scalar("lock")).isEmpty()) {
      complaints.warn(given.get().position(),
          control + ": " + word + " has no effect without a lock; add controls.lock");
    }
  }

  private void reviewSettling(Node spec, @Nullable Probe probe) {
    spec.node("controls").flatMap(it -> it.scalar("on_stale"))
        .filter(it -> it.text().equals(Controls.OnStale.SETTLE.toString()) && probe == null)
        .ifPresent(it -> complaints.error(it.position(),
            "on_stale: settle needs a probe that tells what became of the last run; add spec.probe"));
  }

  private static boolean hasControl(Node spec, String control, String word) {
    return spec.node("controls").flatMap(it -> it.scalar(control)).map(Scalar::text).filter(word::equals).isPresent();
  }

  private Intent.Timeouts timeouts(Node spec) {
    Node timeouts = spec.node("timeouts").orElse(new Node.Mapping(List.of(), spec.position()));
    Optional<Scalar> ttl = timeouts.scalar("lock_ttl");
    Optional<Ttl> lockTtl = ttl.flatMap(IntentReader::seconds).map(Ttl::new);
    ttl.filter(_ -> lockTtl.filter(Ttl::isShort).isPresent()).ifPresent(it -> complaints.warn(it.position(),
        "a lock with a ttl of " + it.text() + " s expires during a short pause of the host; use 30 or more"));
    return new Intent.Timeouts(lockTtl.orElse(Ttl.DEFAULT),
        timeouts.scalar("step").flatMap(IntentReader::seconds).map(Duration::ofSeconds)
            .orElse(Intent.Timeouts.DEFAULT.step()),
        timeouts.scalar("run").flatMap(IntentReader::seconds).map(Duration::ofSeconds)
            .orElse(Intent.Timeouts.DEFAULT.run()));
  }

  /** A number of seconds; empty if the schema has already reported it as invalid. */
  static Optional<Long> seconds(Scalar scalar) {
    if (scalar.kind() != Scalar.Kind.INTEGER || scalar.text().length() > 6) {
      return Optional.empty();
    }
    return Optional.of(Long.parseLong(scalar.text())).filter(Ttl::isValid);
  }

  private Intent.@Nullable Schedule schedule(Scalar scalar, Intent.Mode mode, List<Parameter> params) {
    List<String> required = params.stream().filter(Parameter::required).map(Parameter::name).toList();
    if (mode == Intent.Mode.MUTATE) {
      complaints.error(scalar.position(),
          "a mutate intent cannot have a schedule: its failure needs attention; use mode observe or reconcile");
    } else if (!required.isEmpty()) {
      complaints.error(scalar.position(), "a scheduled run uses default values only, but " + String.join(", ", required)
          + (required.size() == 1 ? " is required; give it a default" : " are required; give them defaults"));
    }
    try {
      return new CronSchedule(scalar.text(), CronExpression.written(scalar.text()));
    } catch (IllegalArgumentException e) {
      complaints.error(scalar.position(), String.valueOf(e.getMessage()));
      return null;
    }
  }
}

package fleet.tower.intent.yaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.ArgumentReview;
import fleet.tower.intent.IndirectCodeReview;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Intent.Step.Argv;
import fleet.tower.intent.Intent.Step.Script;
import fleet.tower.intent.OutputRule;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.SecretSource;
import fleet.tower.intent.SecretSource.FromEnv;
import fleet.tower.intent.SecretSource.FromFile;
import fleet.tower.intent.StepLimits;
import fleet.tower.intent.Template;
import fleet.tower.intent.yaml.TemplateReader.Use;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;

/** Parses the steps of an intent. */
final class StepReader {
  /** Variables that can make a program's loader or the shell run something else. */
  private static final Set<String> RESERVED = Set.of("PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "IFS", "PS4",
      "PROMPT_COMMAND", "GCONV_PATH");
  private static final List<String> RESERVED_BEGINNINGS = List.of("TOWER_", "PARAM_", "LD_", "DYLD_", "BASH_FUNC");

  private final TemplateReader templates;
  private final Complaints complaints;
  private final LimitsReader limitsReader;
  private final StepLimits limits;
  private final Map<String, SecretSource> secrets;
  private final Map<String, Integer> lines = new HashMap<>();

  /** @param spec the block with the limits and the secrets of every step */
  StepReader(Node spec, TemplateReader templates, Complaints complaints) {
    this.templates = templates;
    this.complaints = complaints;
    this.limitsReader = new LimitsReader(complaints);
    this.limits = limitsReader.limits(spec, StepLimits.NONE);
    this.secrets = secrets(spec);
  }

  /** The variables that every step gets from its host. */
  Map<String, SecretSource> secrets() {
    return secrets;
  }

  private Map<String, SecretSource> secrets(Node spec) {
    Map<String, SecretSource> sources = new LinkedHashMap<>();
    for (Node.Entry entry : spec.entries("secrets")) {
      if (isSettable(entry.key())) {
        entry.value().scalar("file").filter(path -> !hasNul(path)).<SecretSource>map(it -> new FromFile(it.text()))
            .or(() -> entry.value().scalar("env").map(it -> new FromEnv(it.text())))
            .ifPresent(source -> sources.put(entry.key().text(), source));
      }
    }
    return sources;
  }

  /** Whether a step may have a variable with a name; it is reported if not. */
  private boolean isSettable(Scalar key) {
    String name = key.text();
    boolean isReserved = RESERVED.contains(name) || RESERVED_BEGINNINGS.stream().anyMatch(name::startsWith);
    if (isReserved) {
      complaints.error(key.position(), "a step cannot set the variable " + name
          + (name.startsWith("PARAM_") || name.startsWith("TOWER_")
              ? "; such variables are set for every step"
              : ""));
    }
    return !isReserved;
  }

  /**
   * The steps of a list. A name may appear only once in all lists, because the output of each step is stored under
   * its name.
   */
  List<Intent.Step> read(List<Node> items) {
    List<Intent.Step> steps = new ArrayList<>();
    for (Node item : items) {
      name(item);
      Optional<Intent.Step.Action> action = action(item);
      Map<String, Template> env = env(item);
      Intent.Step.Action rollback = rollback(item).orElse(null);
      StepLimits own = limitsReader.limits(item, limits);
      OutputRule output = limitsReader.output(item).orElse(null);
      Repetition repetition = limitsReader.repetition(item).orElse(null);
      action.ifPresent(it -> steps.add(new Intent.Step(item.scalar("name").map(Scalar::text).orElse(""), it, env,
          timeout(item), rollback, own, output, repetition)));
    }
    return steps;
  }

  /** Keeps steps from having a name. */
  void reserve(Node owner, String name) {
    lines.put(name, owner.position().line());
  }

  /** The command of a probe. */
  Optional<Intent.Step> probe(Node probe, Duration timeout) {
    Map<String, Template> env = env(probe);
    return action(probe).map(action -> new Intent.Step(Probe.NAME, action, env,
        Optional.ofNullable(timeout(probe)).orElse(timeout), null, limits, null, null));
  }

  private void name(Node step) {
    step.scalar("name").ifPresent(name -> {
      Integer first = lines.putIfAbsent(name.text(), name.position().line());
      if (first != null) {
        complaints.error(name.position(),
            "duplicate step " + Complaints.shown(name.text()) + "; first used on line " + first);
      }
    });
  }

  private Optional<Intent.Step.Action> action(Node step) {
    Optional<Scalar> script = step.scalar("script");
    script.ifPresent(this::checkScript);
    Optional<Argv> run = argv(step, "run");
    return run.isPresent() ? Optional.of(run.get()) : script.map(text -> new Script(text.text()));
  }

  /** The rollback of a step: a list of words, or a mapping with run or script. */
  private Optional<Intent.Step.Action> rollback(Node step) {
    Optional<Node> mapping = step.node("rollback").filter(Node.Mapping.class::isInstance);
    return mapping.isPresent() ? action(mapping.get()) : argv(step, "rollback").map(words -> words);
  }

  private void checkScript(Scalar script) {
    ScriptReferences.in(script.text(), templates.parameters())
        .forEach(it -> complaints.error(script.positionOf(it.offset()), it.message()));
    IndirectCodeReview.ofScript(script.text(), templates.parameters())
        .forEach(it -> complaints.warn(script.positionOf(it.offset()), it.message()));
    if (script.text().isBlank()) {
      complaints.error(script.position(), "is empty; write the script that bash runs");
    }
    if (script.text().indexOf('\0') >= 0) {
      complaints.error(script.position(), "contains a NUL character, which bash does not accept");
    }
  }

  private Optional<Argv> argv(Node step, String key) {
    if (step.node(key).filter(Node.Sequence.class::isInstance).isEmpty()) {
      return Optional.empty();
    }
    List<Template> words = new ArrayList<>();
    List<Scalar> sources = new ArrayList<>();
    for (Node item : step.items(key)) {
      if (item instanceof Scalar scalar && !hasNul(scalar)) {
        if (words.isEmpty() && scalar.text().isBlank()) {
          complaints.error(scalar.position(), "is empty; the first word must be the program");
        }
        templates.read(scalar, Use.ARGUMENT).ifPresent(word -> {
          words.add(word);
          sources.add(scalar);
        });
      }
    }
    templates.review(ArgumentReview.ofProgram(words, templates.parameters()), sources);
    templates.review(IndirectCodeReview.ofProgram(words, templates.parameters()), sources);
    return Optional.of(new Argv(words));
  }

  private boolean hasNul(Scalar scalar) {
    boolean has = scalar.text().indexOf('\0') >= 0;
    if (has) {
      complaints.error(scalar.position(), "contains a NUL character, which cannot be passed to a program");
    }
    return has;
  }

  private Map<String, Template> env(Node step) {
    Map<String, Template> env = new LinkedHashMap<>();
    for (Node.Entry entry : step.entries("env")) {
      String name = entry.key().text();
      if (secrets.containsKey(name)) {
        complaints.error(entry.key().position(),
            "the variable " + name + " is a secret of the intent; remove it here or under secrets");
      } else if (isSettable(entry.key()) && entry.value() instanceof Scalar scalar && !hasNul(scalar)) {
        templates.read(scalar, Use.ENVIRONMENT).ifPresent(value -> {
          env.put(name, value);
          templates.review(IndirectCodeReview.ofVariable(name, value, templates.parameters()), List.of(scalar));
        });
      }
    }
    return env;
  }

  private static @Nullable Duration timeout(Node step) {
    return step.scalar("timeout").flatMap(IntentReader::seconds).map(Duration::ofSeconds).orElse(null);
  }
}

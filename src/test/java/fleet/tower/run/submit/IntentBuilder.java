package fleet.tower.run.submit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalRule;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Desired;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.intent.OutputRule;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.StepLimits;
import fleet.tower.intent.Template;
import fleet.tower.lease.Ttl;

/** A builder of an intent with one optional parameter {@code app} and one secret {@code key}. */
public final class IntentBuilder {
  private final String name;
  private final Intent.Mode mode;
  private final List<Intent.Step> steps = new ArrayList<>();
  private List<String> runsOn = List.of();
  private final List<Intent.Step> rollback = new ArrayList<>();
  private @Nullable Template lock;
  private Ttl ttl = new Ttl(900);
  private Controls.Heartbeat heartbeat = Controls.Heartbeat.TIMER;
  private Controls.OnLockLost onLockLost = Controls.OnLockLost.STOP;
  private Controls.OnStale onStale = Controls.OnStale.REFUSE;
  private Controls.OnInterrupted onInterrupted = Controls.OnInterrupted.KEEP;
  private @Nullable ApprovalRule approve;
  private @Nullable Probe probe;
  private Intent.@Nullable Schedule schedule;
  private final List<Template> respect = new ArrayList<>();
  private final List<Template> exclusive = new ArrayList<>();
  private final Map<String, Template> env = new LinkedHashMap<>();

  private IntentBuilder(String name, Intent.Mode mode) {
    this.name = name;
    this.mode = mode;
  }

  public static IntentBuilder mutate(String name) {
    return new IntentBuilder(name, Intent.Mode.MUTATE);
  }

  public static IntentBuilder observe(String name) {
    return new IntentBuilder(name, Intent.Mode.OBSERVE);
  }

  public static IntentBuilder reconcile(String name) {
    return new IntentBuilder(name, Intent.Mode.RECONCILE);
  }

  public IntentBuilder lock(String template) {
    lock = template(template);
    return this;
  }

  public IntentBuilder respect(String template) {
    respect.add(template(template));
    return this;
  }

  public IntentBuilder exclusive(String template) {
    exclusive.add(template(template));
    return this;
  }

  IntentBuilder goOnWhenLost() {
    onLockLost = Controls.OnLockLost.CONTINUE;
    return this;
  }

  public IntentBuilder takeStale() {
    onStale = Controls.OnStale.TAKE;
    return this;
  }

  public IntentBuilder releaseOnInterruption() {
    onInterrupted = Controls.OnInterrupted.RELEASE;
    return this;
  }

  public IntentBuilder ttl(long seconds) {
    ttl = new Ttl(seconds);
    return this;
  }

  IntentBuilder provingProgress() {
    heartbeat = Controls.Heartbeat.PROGRESS;
    return this;
  }

  public IntentBuilder env(String variable, String template) {
    env.put(variable, template(template));
    return this;
  }

  public IntentBuilder step(String step, String... argv) {
    steps.add(new Intent.Step(step, argv(argv), env, null, null));
    return this;
  }

  /** A step that is rolled back if it does not print what it must. */
  public IntentBuilder printing(String step, StepLimits limits, @Nullable OutputRule output) {
    steps.add(new Intent.Step(step, argv("do", step), Map.of(), null, argv("undo", step), limits, output, null));
    return this;
  }

  public IntentBuilder undoable(String step) {
    steps.add(new Intent.Step(step, argv("do", step), Map.of(), null, argv("undo", step)));
    return this;
  }

  /** How often the last step is tried. */
  public IntentBuilder repeated(Repetition repetition) {
    Intent.Step step = steps.removeLast();
    steps.add(new Intent.Step(step.name(), step.action(), step.env(), step.timeout(), step.rollback(), step.limits(),
        step.output(), repetition));
    return this;
  }

  public IntentBuilder script(String step, String text) {
    steps.add(new Intent.Step(step, new Intent.Step.Script(text), Map.of(), Duration.ofSeconds(5), null));
    return this;
  }

  public IntentBuilder rollback(String step) {
    rollback.add(new Intent.Step(step, argv("undo", step), Map.of(), null, null));
    return this;
  }

  public IntentBuilder schedule(Intent.Schedule when) {
    schedule = when;
    return this;
  }

  /** The labels that a host must have. */
  public IntentBuilder runsOn(String... labels) {
    runsOn = List.of(labels);
    return this;
  }

  /** The rule that its runs must be approved. */
  IntentBuilder approve(ApprovalRule rule) {
    approve = rule;
    return this;
  }

  /** A probe, and the members that the state must have, as JSON. */
  IntentBuilder desiring(Map<String, String> members) {
    Map<String, Desired> desired = new LinkedHashMap<>();
    members.forEach((member, json) -> desired.put(member, new Desired.Fixed(json)));
    probe = new Probe(new Intent.Step(Probe.NAME, argv("look"), Map.of(), Duration.ofSeconds(20), null),
        new Desired.Members(desired));
    return this;
  }

  public Intent intent() {
    List<Parameter> params = List.of(
        new Parameter("app", Parameter.Type.STRING, false, "money", false, Parameter.Limits.NONE, ""),
        new Parameter("key", Parameter.Type.STRING, false, null, true, Parameter.Limits.NONE, ""));
    return new Intent(new Intent.Metadata(name, "1.2.0", ""), mode, params,
        new Controls(lock, heartbeat, onLockLost, onStale, onInterrupted, respect, exclusive),
        new Intent.Timeouts(ttl, Duration.ofMinutes(10), Duration.ofHours(1)),
        new Intent.Procedure(steps, rollback, Effect.UNKNOWN, Map.of(), probe), schedule, runsOn, approve);
  }

  private static Intent.Step.Argv argv(String... words) {
    return new Intent.Step.Argv(Stream.of(words).map(IntentBuilder::template).toList());
  }

  private static Template template(String text) {
    try {
      return Template.parse(text);
    } catch (Template.Malformed e) {
      throw new AssertionError(e);
    }
  }
}

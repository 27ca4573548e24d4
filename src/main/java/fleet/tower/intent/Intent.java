package fleet.tower.intent;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalRule;
import fleet.tower.lease.Ttl;

/**
 * A valid intent: every name that it uses is defined.
 *
 * @param schedule when the intent runs unattended; null if it has no schedule
 * @param runsOn the labels that a host must have to execute it; empty for any host
 * @param approve the rule that its runs must be approved; null if it has none
 * @param digest equal on two hosts only if they declare the same, and its steps execute the same files
 */
public record Intent(Metadata metadata, Mode mode, List<Parameter> params, Controls controls, Timeouts timeouts,
    Procedure procedure, @Nullable Schedule schedule, List<String> runsOn, @Nullable ApprovalRule approve,
    String digest) {
  public Intent {
    params = List.copyOf(params);
    runsOn = List.copyOf(runsOn);
  }

  /** An intent whose steps execute no files of the home. */
  public Intent(Metadata metadata, Mode mode, List<Parameter> params, Controls controls, Timeouts timeouts,
      Procedure procedure, @Nullable Schedule schedule, List<String> runsOn, @Nullable ApprovalRule approve) {
    this(metadata, mode, params, controls, timeouts, procedure, schedule, runsOn, approve, IntentDigest
        .of(new Intent(metadata, mode, params, controls, timeouts, procedure, schedule, runsOn, approve, "")));
  }

  /** The same intent, whose steps execute files with these contents. */
  public Intent executing(Map<String, String> files) {
    return files.isEmpty()
        ? this
        : new Intent(metadata, mode, params, controls, timeouts, procedure, schedule, runsOn, approve,
            IntentDigest.of(IntentDigest.of(this), files));
  }

  /** The name, the version and the description of an intent. */
  public record Metadata(String name, String version, String description) {}

  /**
   * The steps of an intent, and the steps that run last when it fails.
   *
   * @param effect how what the steps do can be undone, by the word of the intent
   * @param secrets the variables that every step gets from its host
   * @param probe how runs look at what the steps change; null if they do not
   */
  public record Procedure(List<Step> steps, List<Step> rollback, Effect effect, Map<String, SecretSource> secrets,
      @Nullable Probe probe) {
    public Procedure {
      steps = List.copyOf(steps);
      rollback = List.copyOf(rollback);
      secrets = Collections.unmodifiableMap(new LinkedHashMap<>(secrets));
    }

    /** Steps that get no secrets of their host, and no probe. */
    public Procedure(List<Step> steps, List<Step> rollback, Effect effect) {
      this(steps, rollback, effect, Map.of(), null);
    }

    /** Steps about which nobody has said how what they do can be undone. */
    public Procedure(List<Step> steps, List<Step> rollback) {
      this(steps, rollback, Effect.UNKNOWN);
    }
  }

  public String name() {
    return metadata.name();
  }

  public String version() {
    return metadata.version();
  }

  public Optional<Parameter> param(String name) {
    return params.stream().filter(param -> param.name().equals(name)).findFirst();
  }

  /** How what a run does can be undone, by the word of the intent. */
  public Effect effect() {
    return mode == Mode.OBSERVE ? Effect.NONE : procedure.effect();
  }

  /** How its runs look at what they change; null if they do not. */
  public @Nullable Probe probe() {
    return procedure.probe();
  }

  /** Whether a run only restores a state that it can see, so that one without a difference changes nothing. */
  public boolean restoresDesired() {
    return mode == Mode.RECONCILE && procedure.probe() != null && procedure.probe().desired() != null;
  }

  /** The template of the lock that a run needs; empty if none is declared or the intent only observes. */
  public Optional<Template> lock() {
    return mode == Mode.OBSERVE ? Optional.empty() : Optional.ofNullable(controls.lock());
  }

  /** Whether the intent changes the system without declaring a lock. */
  public boolean lacksLock() {
    return mode != Mode.OBSERVE && controls.lock() == null;
  }

  /** Warnings shown on every run. */
  public List<String> warnings() {
    if (!lacksLock()) {
      return List.of();
    }
    return switch (mode) {
      case OBSERVE -> List.of();
      case MUTATE -> List.of("Mutate intent without lock - concurrent execution possible");
      case RECONCILE -> List.of("Reconcile intent without lock - conflicting reconciliation possible");
    };
  }

  /** How an intent treats its target system. */
  public enum Mode {
    /** Reads only; never takes a lock and is never blocked by one. */
    OBSERVE,
    /** Changes the system once. */
    MUTATE,
    /** Restores the desired state, repeatedly. */
    RECONCILE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The times at which an intent runs unattended, in UTC. */
  public interface Schedule {

    /** The first time after {@code moment}; empty if there is none. */
    Optional<Instant> after(Instant moment);

    /** The schedule as written in the file. */
    String text();
  }

  /**
   * A command of an intent.
   *
   * @param timeout how long the step may take; null for the intent's default
   * @param rollback the command that undoes the step, in the step's environment and with its timeout; null if there is
   *     none
   * @param limits what the command and its rollback may use
   * @param output the form of what the command prints; null for any
   * @param repetition how often it is tried; null if it must not be performed again after it has begun
   */
  public record Step(String name, Action action, Map<String, Template> env, @Nullable Duration timeout,
      @Nullable Action rollback, StepLimits limits, @Nullable OutputRule output, @Nullable Repetition repetition) {
    public Step {
      env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** A step without limits, which may print anything and is performed once. */
    public Step(String name, Action action, Map<String, Template> env, @Nullable Duration timeout,
        @Nullable Action rollback) {
      this(name, action, env, timeout, rollback, StepLimits.NONE, null, null);
    }

    /** The command that a step runs. */
    public sealed interface Action {}

    /** A program and its arguments. Each is passed as one word, whatever it contains; no shell interprets them. */
    public record Argv(List<Template> words) implements Action {
      public Argv {
        words = List.copyOf(words);
      }
    }

    /** A script for {@code bash -euo pipefail}; it reads parameters from its environment only. */
    public record Script(String text) implements Action {}
  }

  /** The time limits of an intent; time spent in a queue does not count. */
  public record Timeouts(Ttl lockTtl, Duration step, Duration run) {
    public static final Timeouts DEFAULT = new Timeouts(Ttl.DEFAULT, Duration.ofMinutes(10), Duration.ofHours(1));
  }
}

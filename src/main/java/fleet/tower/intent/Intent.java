package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * One intent, whole and sound: whoever made it has checked that every name it uses is defined.
 *
 * @param schedule when it runs by itself, where it does
 */
public record Intent(Metadata metadata, Mode mode, List<Parameter> params, Controls controls, Timeouts timeouts,
    Procedure procedure, @Nullable Schedule schedule) {
  public Intent {
    requireNonNull(metadata);
    requireNonNull(mode);
    params = List.copyOf(params);
    requireNonNull(controls);
    requireNonNull(timeouts);
    requireNonNull(procedure);
  }

  /** What an intent is called, and which edition of it this is. */
  public record Metadata(String name, String version, String description) {
    public Metadata {
      requireNonNull(name);
      requireNonNull(version);
      requireNonNull(description);
    }
  }

  /** What is done, and what is done at last when it fails. */
  public record Procedure(List<Step> steps, List<Step> rollback) {
    public Procedure {
      steps = List.copyOf(steps);
      rollback = List.copyOf(rollback);
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

  /**
   * The template of the lock that a run of this intent needs: none where none is declared, and none for an intent that only
   * observes, whatever it declares.
   */
  public Optional<Template> lock() {
    return mode == Mode.OBSERVE ? Optional.empty() : Optional.ofNullable(controls.lock());
  }

  /** Whether it changes something and declares no lock. */
  public boolean lacksLock() {
    return mode != Mode.OBSERVE && controls.lock() == null;
  }

  /** What its author should know every time it runs, though it may run. */
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
}

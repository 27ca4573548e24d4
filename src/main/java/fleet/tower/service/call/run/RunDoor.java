package fleet.tower.service.call.run;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.run.TraceContext;

/** The door of a request for a run or a plan: what the request has besides its body. */
public interface RunDoor {

  /** States that the body may have secrets, so that no answer repeats it. */
  void hasSecrets();

  /** A key that identifies a repeated request. */
  default Optional<String> key() {
    return Optional.empty();
  }

  /** The trace that the request belongs to; null for none. */
  default @Nullable TraceContext trace() {
    return null;
  }

  default Preference preference() {
    return Preference.NONE;
  }
}

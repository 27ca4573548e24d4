package fleet.tower.service.call.run;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.run.TraceContext;

/** The door of a request for a run or a plan: what the request has besides its body. */
public interface RunDoor {

  /** States that the body may have secrets, so that no answer repeats it. */
  void hasSecrets();

  /** A key that identifies a repeated request. */
  Optional<String> key();

  /** The trace that the request belongs to; null for none. */
  @Nullable
  TraceContext trace();

  Preference preference();
}

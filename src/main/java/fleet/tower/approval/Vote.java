package fleet.tower.approval;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;

/**
 * What a person said about a run.
 *
 * @param principal who said it
 * @param token the name under which it was said, such as that of a token
 * @param door the way in; null if it is not known
 * @param approves whether the run may begin
 * @param reason why; null if no reason was given
 * @param standing the earlier run whose approval was given for later ones, too; null for a vote on this run
 * @param seal binds it to the run; null before it is given
 */
public record Vote(String principal, String token, @Nullable Door door, boolean approves, @Nullable String reason,
    Instant at, @Nullable RequestId standing, @Nullable String seal) {

  /** A vote that is not given yet. */
  public Vote(String principal, String token, @Nullable Door door, boolean approves, @Nullable String reason,
      Instant at, @Nullable RequestId standing) {
    this(principal, token, door, approves, reason, at, standing, null);
  }

  /** The same with its seal. */
  public Vote sealed(String by) {
    return new Vote(principal, token, door, approves, reason, at, standing, by);
  }
}

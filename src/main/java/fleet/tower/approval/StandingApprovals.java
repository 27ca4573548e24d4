package fleet.tower.approval;

import java.time.Instant;
import java.util.List;

import fleet.tower.lease.RequestId;

/**
 * Approvals of plans, for later runs that do the same. Every call is atomic with respect to every other one, also of
 * other processes.
 */
public interface StandingApprovals {

  /**
   * The approval of a plan by one person.
   *
   * @param run the run whose plan the person approved
   * @param remaining the number of later runs that it is still good for
   * @param seal binds it to the run; empty before it is given
   */
  record Standing(RequestId run, String planHash, String principal, String token, Instant until, int remaining,
      String seal) {
    /** The same with its seal. */
    public Standing sealed(String by) {
      return new Standing(run, planHash, principal, token, until, remaining, by);
    }
  }

  /** Records one durably; it replaces that of the same person for the same run. */
  void put(Standing approval);

  /** Those of a plan that are good for one more run at a moment. */
  List<Standing> of(String planHash, Instant now);

  /** Those of all plans that are good for one more run at a moment. */
  List<Standing> inForce(Instant now);

  /** Uses one for a run; false if it is used up, over or revoked meanwhile. */
  boolean use(Standing approval, Instant now);

  /** Revokes all that were given with a run, whoever gave them; false if there were none. */
  boolean revoke(RequestId run);

  /** Deletes what is used up or over. */
  void discard(Instant now);
}

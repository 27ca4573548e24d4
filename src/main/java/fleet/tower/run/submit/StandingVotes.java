package fleet.tower.run.submit;

import java.time.Instant;
import java.util.List;

import fleet.tower.approval.Approval;
import fleet.tower.approval.StandingApprovals;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.approval.Vote;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.submit.RunApprovals.Ballot;
import fleet.tower.run.submit.RunApprovals.Later;

/** The votes of earlier runs that count for later ones with the same plan. */
record StandingVotes(StandingApprovals store) {

  /** A requested approval with as many of these votes as it needs; each is used up for it. */
  Approval used(Approval requested, Instant now) {
    Approval approval = requested;
    for (Standing standing : store.of(requested.planHash(), now)) {
      Vote vote = new Vote(standing.principal(), standing.token(), null, true, null, now, standing.run());
      if (approval.state() == Approval.State.OPEN
          && approval.with(vote, true) instanceof Approval.Counted(Approval next) && store.use(standing, now)) {
        approval = next;
      }
    }
    return approval;
  }

  /** Records what a ballot says about later runs. */
  void keep(Run run, Ballot ballot, Instant now) {
    Later later = ballot.standing();
    if (later != null && ballot.approves()) {
      store.discard(now);
      store.put(new Standing(run.requestId(), RunApprovals.approvalOf(run).planHash(), ballot.principal(),
          ballot.by().name(), now.plus(later.within()), later.most()));
    }
  }

  /** Revokes those that were given with a run; false if there were none. */
  boolean revoke(RequestId run) {
    return store.revoke(run);
  }

  /** Those that are good for one more run at a moment. */
  List<Standing> inForce(Instant now) {
    return store.inForce(now);
  }
}

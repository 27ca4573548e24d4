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
record StandingVotes(StandingApprovals store, VoteSeals seals) {

  /** The requested approval of a run with as many of these votes as it needs; each is used up for it. */
  Approval used(RequestId run, Approval requested, Instant now) {
    Approval approval = requested;
    for (Standing standing : genuine(store.of(requested.planHash(), now))) {
      Vote vote = seals.sealed(run, requested,
          new Vote(standing.principal(), standing.token(), null, true, null, now, standing.run()));
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
      Standing given = new Standing(run.requestId(), RunApprovals.approvalOf(run).planHash(), ballot.principal(),
          ballot.by().name(), now.plus(later.within()), later.most(), "");
      store.put(given.sealed(seals.seal(given)));
    }
  }

  /** Revokes those that were given with a run; false if there were none. */
  boolean revoke(RequestId run) {
    return store.revoke(run);
  }

  /** Those that are good for one more run at a moment. */
  List<Standing> inForce(Instant now) {
    return genuine(store.inForce(now));
  }

  private List<Standing> genuine(List<Standing> all) {
    return all.stream().filter(it -> seals.seal(it).equals(it.seal())).toList();
  }
}

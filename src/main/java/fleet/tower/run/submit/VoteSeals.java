package fleet.tower.run.submit;

import fleet.tower.approval.Approval;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.approval.Vote;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.secret.HomeKey;

/**
 * The seals of votes, under the key of the home. A seal binds a vote to its run, the plan, the requesters and the voter,
 * so whoever can write records, but not read the key, cannot make a vote or use one for another run.
 */
record VoteSeals(HomeKey key) {
  /** Names of what is sealed. No parameter has such a name, so no plan shows such a digest. */
  private static final String VOTE = "vote/v1";
  private static final String STANDING = "standing-approval/v1";

  /** A vote with its seal. */
  Vote sealed(RequestId run, Approval approval, Vote vote) {
    return vote.sealed(seal(run, approval, vote));
  }

  /** An approval with those of its votes that were given for it. */
  Approval genuine(RequestId run, Approval approval) {
    return approval.having(approval.votes().stream()
        .filter(vote -> seal(run, approval, vote).equals(vote.seal())).toList());
  }

  private String seal(RequestId run, Approval approval, Vote vote) {
    Door door = vote.door();
    RequestId standing = vote.standing();
    return key.digest(VOTE, JsonWriter.line().put("run", run.value()).put("plan_hash", approval.planHash())
        .list("requesters", approval.requesters().stream().sorted().map(JsonWriter::quote).toList())
        .put("principal", vote.principal()).put("token", vote.token())
        .put("door", door == null ? null : door.toString()).put("approves", vote.approves())
        .put("reason", vote.reason()).put("at", vote.at().toEpochMilli())
        .put("standing", standing == null ? null : standing.value()).end());
  }

  /** The seal of an approval for later runs. The number of runs is not in it, because each use changes that. */
  String seal(Standing standing) {
    return key.digest(STANDING, JsonWriter.line().put("run", standing.run().value())
        .put("plan_hash", standing.planHash()).put("principal", standing.principal()).put("token", standing.token())
        .put("until", standing.until().toEpochMilli()).end());
  }
}

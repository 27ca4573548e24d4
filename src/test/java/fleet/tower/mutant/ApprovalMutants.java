package fleet.tower.mutant;

import java.util.List;

/** Bugs in approvals and quotas. */
final class ApprovalMutants {
  private static final String APPROVAL = "approval/Approval";
  private static final String RUNS = "run/submit/RunApprovals";
  private static final String APPROVAL_TEST = "approval/ApprovalTest";
  private static final String RUNS_TEST = "run/submit/ApprovedRunsTest";
  private static final String SIMULATION = "run/submit/ApprovalSimulationTest";
  private static final String SQLITE_TEST = "run/sql/SqliteRunStoreContractTest";
  private static final String POSTGRES_TEST = "run/sql/PostgresRunStoreContractTest";

  private ApprovalMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("the first vote suffices", APPROVAL, "counted.have() >= terms.need()", "counted.have() >= 1",
            APPROVAL_TEST),
        RoomMutant.of("the requester votes", APPROVAL, "if (requesters.contains(vote.principal())) {",
            "if (requesters.contains(vote.token())) {", APPROVAL_TEST),
        RoomMutant.of("whom no rule asks votes", APPROVAL, "if (!terms.ask(vote.principal())) {",
            "if (terms.need() == 0) {", APPROVAL_TEST),
        RoomMutant.of("a vote on another plan counts", APPROVAL, "if (!shown) {", "if (!shown && terms.need() == 0) {",
            APPROVAL_TEST),
        RoomMutant.of("a vote after the time counts", APPROVAL, "state != State.OPEN || isOver(vote.at())",
            "state != State.OPEN", APPROVAL_TEST),
        RoomMutant.of("the looser of two rules counts", "approval/ApprovalTerms", "Math.max(need, other.need)",
            "Math.min(need, other.need)", APPROVAL_TEST),
        RoomMutant.of("the plan of an approved run is not compared under its lock", RUNS,
            "RunRefusal change = plan.refusal(seen);", "RunRefusal change = null;", RUNS_TEST + "#changed"),
        RoomMutant.of("a vote that was written into the record begins a run", RUNS,
            "if (!seals.genuine(prepared.header().requestId(), approval).equals(approval)) {",
            "if (approval.votes().isEmpty()) {", RUNS_TEST + "#forged"),
        RoomMutant.of("a vote that was written into the record is one of two", RUNS,
            "Approval approval = seals.genuine(run.requestId(), approvalOf(run));",
            "Approval approval = approvalOf(run);", RUNS_TEST + "#forged"),
        RoomMutant.of("a vote on another run with the same plan counts", "run/submit/VoteSeals",
            "JsonWriter.line().put(\"run\", run.value()).put(\"plan_hash\", approval.planHash())",
            "JsonWriter.line().put(\"plan_hash\", approval.planHash())", RUNS_TEST + "#forged"),
        RoomMutant.of("an approval for later runs counts however it was written", "run/submit/StandingVotes",
            "seals.seal(it).equals(it.seal())", "!it.seal().isEmpty()", RUNS_TEST + "#forgedStanding"),
        RoomMutant.of("what nobody knows how to undo needs no approval", "intent/Effect",
            "return this == UNKNOWN || compareTo(other) >= 0;", "return this != UNKNOWN && compareTo(other) >= 0;",
            "policy/yaml/PolicyFileTest#byEffect"),
        RoomMutant.of("an intent says that it is easier to undo than the policy does", "policy/Policy",
            "return own.and(Effect.ofAll(covering.stream()));", "return own == Effect.NONE ? own.and(Effect.ofAll("
                + "covering.stream())) : own;",
            "policy/yaml/PolicyFileTest#classified"),
        RoomMutant.of("refusals of before a halt place it again", "policy/Containment",
            "      refusals.get().forget(rule.name(), actor);\n", "", "policy/ContainmentTest"),
        RoomMutant.of("an approved run begins whenever it can", RUNS, "return approval.isOver(services.time().now())",
            "return approval.isOver(approval.requestedAt())", RUNS_TEST + "#expired"),
        RoomMutant.of("an approval that runs out under the lock suffices", RUNS,
            "approval.allows(planned.hash(), services.time().now()) ? change", "!approval.votes().isEmpty() ? change",
            SIMULATION),
        RoomMutant.of("a run begins under a halt", "run/execute/RunServices",
            "Decision.Halted halt = halts.inForce().refusal(run.doing());",
            "Decision.Halted halt = halts.inForce() == null ? halts.inForce().refusal(run.doing()) : null;",
            SIMULATION),
        RoomMutant.of("a rejected run asks again under its id", "run/sql/SqlRunStore",
            "!match.isUnstarted() || run.isRejected()", "!match.isUnstarted()", SQLITE_TEST + "#rejectedStays"),
        RoomMutant.of("an approval of later runs that is given again keeps its plan", "run/sql/SqlStandingApprovals",
            " plan_hash = EXCLUDED.plan_hash,", "", SQLITE_TEST + "#standingApprovals"),
        RoomMutant.of("secrets are recorded", RUNS, "    plain.keySet().removeAll(kept.keySet());\n", "",
            RUNS_TEST + "#secrets"),
        RoomMutant.of("a run with secrets begins without them", RUNS,
            "kept == null || secrets.containsKey(run.requestId())", "kept == null || run.isQueued()",
            RUNS_TEST + "#secrets"),
        RoomMutant.of("an approval for later runs is not used up", "run/sql/SqlStandingApprovals",
            "SET remaining = remaining - 1", "SET remaining = remaining", SQLITE_TEST + "#standingApprovals"),
        RoomMutant.of("requests count for a quota at the same time", "run/sql/RunQuotas",
            "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "SELECT hashtextextended(?, 0)",
            POSTGRES_TEST + "#exactlyTheQuota"),
        RoomMutant.of("refused runs count for a quota", "run/sql/RunQuotas", "AND refused = 0", "AND refused >= 0",
            SQLITE_TEST + "#quotaOfEachActor"),
        RoomMutant.of("approved runs count for a quota while they wait for an executor", "run/sql/RunQuotas",
            "approval IS NULL OR executor <> '", "approval IS NULL OR executor <> 'x",
            SQLITE_TEST + "#approvedUnderQuota"),
        RoomMutant.of("an approved run is taken beyond a quota", "run/sql/SqlRunStore",
            "|| quotas().isFull(session, untouched.get(), quotas)", "", SQLITE_TEST + "#approvedUnderQuota"),
        RoomMutant.of("locks are counted at the same time", "lock/file/FileLockStore",
            "directory.enter(FileNames.COUNTS)",
            "directory.enter(FileNames.COUNTS + Thread.currentThread().threadId())",
            "lock/file/FileLockStoreContractTest#exactlyTheLimit"),
        RoomMutant.of("locks are counted at the same time in a fleet", "lock/sql/LockStatements",
            "SELECT pg_advisory_xact_lock(109330362692723)", "SELECT 1",
            "lock/sql/SqlLockStoreContractTest#exactlyTheLimit"),
        RoomMutant.of("one lock more is held than a quota allows", "lock/HoldLimit", ">= it.most()", "> it.most()",
            "lock/file/FileLockStoreContractTest#limitOfEachActor"),
        RoomMutant.of("a lock that was granted while others counted is kept", "lock/AuditedStore",
            "isLeftBehind = release.apply(lease) instanceof ReleaseOutcome.Failed;", "isLeftBehind = false;",
            "lock/sql/SqlFaultsTest#cutWhileCounting"));
  }
}

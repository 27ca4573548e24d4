package fleet.tower.mutant;

import java.util.List;

/** Bugs in approvals and quotas. */
final class ApprovalMutants {
  private static final String APPROVAL = "approval/Approval";
  private static final String RUNS = "run/submit/RunApprovals";
  private static final String APPROVAL_TEST = "approval/ApprovalTest";
  private static final String RUNS_TEST = "run/submit/ApprovedRunsTest";
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
            "RunRefusal change = plan.change();", "RunRefusal change = null;", RUNS_TEST + "#changed"),
        RoomMutant.of("an approved run begins whenever it can", RUNS, "return approval.isOver(services.time().now())",
            "return approval.isOver(approval.requestedAt())", RUNS_TEST + "#expired"),
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
            SQLITE_TEST + "#quotaOfEachActor"));
  }
}

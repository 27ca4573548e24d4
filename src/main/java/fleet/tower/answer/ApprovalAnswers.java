package fleet.tower.answer;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.approval.ApprovalJson;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.approval.Vote;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.ApprovalCallOutcome;
import fleet.tower.operation.ApprovalOperations;
import fleet.tower.operation.Ask;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.run.Run;
import fleet.tower.run.submit.LastSuccess;
import fleet.tower.run.submit.RunApprovals;

/** What came of requests about approvals, as answers. */
public final class ApprovalAnswers {
  private ApprovalAnswers() {}

  /** The answer to a request. */
  static Answer of(ApprovalCallOutcome outcome) {
    return switch (outcome) {
      case ApprovalCallOutcome.Listed(List<Run> runs, List<Standing> standing) -> Answer.ok(JsonWriter.line()
          .list("approvals", runs.stream().map(run -> approval(run, standing).end()).toList()));
      case ApprovalCallOutcome.Viewed(Run run, List<Standing> standing, LastSuccess before) ->
        Answer.ok(inFull(run, standing, before));
      case ApprovalCallOutcome.Voted(Run run, List<Standing> standing, boolean isRepeated) ->
        Answer.ok(approval(run, standing).put("repeated", isRepeated));
      case ApprovalCallOutcome.Revoked(Run run) -> Answer.ok(approval(run, List.of()).put("revoked", true));
      case ApprovalCallOutcome.OwnRequest(Run run, String principal) -> problem(run, ErrorCode.OWN_REQUEST,
          VisibleText.quoted(principal) + " requested run " + run.requestId()
              + ", or it was requested for them, so somebody else must vote",
          "ask " + asked(run));
      case ApprovalCallOutcome.OtherPlan(Run run) -> problem(run, ErrorCode.PLAN_HASH_MISMATCH,
          "run " + run.requestId() + " would do something else than the plan with this hash",
          "look at its plan again, and vote with its plan_hash");
      case ApprovalCallOutcome.NoPlan(Run run) -> Problem.of(ErrorCode.INVALID_REQUEST,
          "an approval names what is approved: the plan_hash of the plan that you were shown",
          "look at its plan, and send its plan_hash").with("member", ApprovalOperations.PLAN_HASH.name())
          .with("request_id", run.requestId().value());
      case ApprovalCallOutcome.Closed(Run run, Approval.State state) -> problem(run, ErrorCode.APPROVAL_CLOSED,
          "run " + run.requestId() + " needs no more votes: it is " + state, "see the run");
      case ApprovalCallOutcome.NotFound(RequestId id) -> Problem.of(ErrorCode.APPROVAL_NOT_FOUND,
          "no run " + VisibleText.quoted(id.value()) + " needs or needed an approval",
          JsonWriter.line().put("request_id", id.value()).put("suggestion", "list the runs that wait for approval"));
    };
  }

  private static Problem problem(Run run, ErrorCode code, String detail, String suggestion) {
    return Problem.of(code, detail, JsonWriter.line().put("request_id", run.requestId().value())
        .put("approval", brief(run)).put("suggestion", suggestion));
  }

  private static String asked(Run run) {
    return run.approval() == null ? "somebody else" : run.approval().terms().voters();
  }

  /** The approval of a run, as the run shows it; null if it needs none. */
  static @Nullable JsonWriter brief(Run run) {
    Approval approval = run.approval();
    return approval == null
        ? null
        : JsonWriter.line().put("state", approval.state().toString()).put("need", approval.terms().need())
            .put("have", approval.have()).put("asked", approval.terms().voters())
            .put("plan_hash", approval.planHash()).put("expires_at", approval.expiresAt())
            .put("href", new Ask(ApprovalOperations.VIEW, ApprovalOperations.of(run.requestId())).path());
  }

  /**
   * The approval of a run without its plan.
   *
   * @param standing the approvals of later runs that still count, whichever run they were given with
   */
  private static JsonWriter approval(Run run, List<Standing> standing) {
    JsonWriter json = JsonWriter.line().put("request_id", run.requestId().value()).put("intent", run.intent())
        .put("intent_version", run.header().subject().version()).put("actor", run.actor().name());
    putIfAny(json, "on_behalf_of", run.actor().onBehalfOf());
    putIfAny(json, "lock_name", run.header().lockName() == null ? null : run.header().lockName().value());
    json.put("status", run.status().toString()).put("requested_at", run.header().createdAt());
    JsonWriter brief = brief(run);
    Approval approval = run.approval();
    return brief == null || approval == null
        ? json
        : json.members(brief)
            .list("requesters", approval.requesters().stream().sorted().map(JsonWriter::quote).toList())
            .list("from", ApprovalJson.from(approval.terms()))
            .list("votes", approval.votes().stream().map(it -> vote(it).end()).toList())
            .list("standing", standing.stream().filter(it -> it.run().equals(run.requestId()))
                .map(it -> JsonWriter.line().put("principal", it.principal()).put("token", it.token())
                    .put("until", it.until()).put("remaining", it.remaining()).end())
                .toList());
  }

  private static JsonWriter vote(Vote vote) {
    Door door = vote.door();
    RequestId standing = vote.standing();
    JsonWriter json = JsonWriter.line().put("principal", vote.principal()).put("token", vote.token())
        .put("decision", vote.approves() ? ApprovalOperations.APPROVE : ApprovalOperations.REJECT)
        .put("at", vote.at());
    putIfAny(json, "door", door == null ? null : door.toString());
    putIfAny(json, "reason", vote.reason());
    putIfAny(json, "standing", standing == null ? null : standing.value());
    return json;
  }

  private static JsonWriter inFull(Run run, List<Standing> standing, @Nullable LastSuccess before) {
    JsonWriter json = approval(run, standing);
    RunApprovals.plan(run).ifPresent(plan -> json.raw("plan", plan));
    RunApprovals.reason(run).ifPresent(reason -> json.put("reason", reason));
    return before == null
        ? json.raw("last_success", "null")
        : json.put("last_success", JsonWriter.line().put("request_id", before.run().requestId().value())
            .put("intent", before.run().intent()).put("finished_at", before.run().finishedAt() == null
                ? before.run().header().createdAt()
                : before.run().finishedAt())
            .list("changed", before.changed().stream().map(JsonWriter::quote).toList()));
  }

  private static void putIfAny(JsonWriter json, String name, @Nullable String value) {
    if (value != null) {
      json.put(name, value);
    }
  }
}

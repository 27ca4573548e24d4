package fleet.tower.approval;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/** The stored form of an approval. */
public final class ApprovalJson {
  private ApprovalJson() {}

  public static JsonWriter write(Approval approval) {
    JsonWriter json = JsonWriter.line().put("terms", terms(approval.terms())).put("plan_hash", approval.planHash())
        .list("requesters", approval.requesters().stream().sorted().map(JsonWriter::quote).toList())
        .put("requested_at", approval.requestedAt().toEpochMilli())
        .list("votes", approval.votes().stream().map(ApprovalJson::vote).toList())
        .put("state", approval.state().toString());
    return approval.decidedAt() == null ? json : json.put("decided_at", approval.decidedAt().toEpochMilli());
  }

  /** The terms, as the document of a plan has them. */
  public static JsonWriter terms(ApprovalTerms terms) {
    return JsonWriter.line().put("n", terms.need()).list("from", from(terms))
        .put("within_seconds", terms.within().toSeconds()).put("valid_seconds", terms.valid().toSeconds());
  }

  /** Who of those with the right may vote, as JSON. */
  public static List<String> from(ApprovalTerms terms) {
    return terms.from().stream().map(ApprovalJson::patterns).toList();
  }

  private static String patterns(List<String> patterns) {
    return "[" + patterns.stream().map(JsonWriter::quote).collect(Collectors.joining(",")) + "]";
  }

  private static String vote(Vote vote) {
    Door door = vote.door();
    RequestId standing = vote.standing();
    return JsonWriter.line().put("principal", vote.principal()).put("token", vote.token())
        .put("door", door == null ? null : door.toString()).put("approves", vote.approves())
        .put("reason", vote.reason()).put("at", vote.at().toEpochMilli())
        .put("standing", standing == null ? null : standing.value()).put("seal", vote.seal()).end();
  }

  /** Reads what {@link #write} has written. */
  public static Approval read(JsonObject json) {
    return new Approval(json.object("terms").map(ApprovalJson::termsOf).orElseThrow(),
        json.requiredText("plan_hash"), Set.copyOf(texts(json.items("requesters"))),
        Instant.ofEpochMilli(json.requiredInteger("requested_at")),
        json.items("votes").stream().map(item -> voteOf((JsonObject) item)).toList(),
        Approval.State.valueOf(json.requiredText("state").toUpperCase(Locale.ROOT)),
        json.get("decided_at") == null ? null : Instant.ofEpochMilli(json.requiredInteger("decided_at")));
  }

  private static ApprovalTerms termsOf(JsonObject json) {
    return new ApprovalTerms(Math.toIntExact(json.requiredInteger("n")),
        json.items("from").stream().map(item -> texts(((JsonValue.Items) item).values())).toList(),
        Duration.ofSeconds(json.requiredInteger("within_seconds")),
        Duration.ofSeconds(json.requiredInteger("valid_seconds")));
  }

  private static Vote voteOf(JsonObject json) {
    return new Vote(json.requiredText("principal"), json.requiredText("token"),
        json.text("door").flatMap(Door::of).orElse(null), json.isTrue("approves"), json.text("reason").orElse(null),
        Instant.ofEpochMilli(json.requiredInteger("at")), json.text("standing").map(RequestId::new).orElse(null),
        json.text("seal").orElse(null));
  }

  private static List<String> texts(List<JsonValue> items) {
    return items.stream().map(item -> ((JsonValue.Text) item).value()).toList();
  }
}

package fleet.tower.run.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.approval.StandingApprovals;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.PagedQuery;
import fleet.tower.platform.sql.Session;
import fleet.tower.policy.Quota;
import fleet.tower.policy.RefusalStore;
import fleet.tower.run.Run;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;

/** Runs as rows of one table: columns for what is searched, a document for the rest. */
final class SqlRunStore implements RunStore {
  private static final String KNOWN = "SELECT request_id, actor, digest, refused, document FROM runs WHERE ";
  private static final String BY_ID = KNOWN + "request_id = ?";
  private static final String BY_KEY = KNOWN + "actor = ? AND idempotency_key = ?";
  /** The column {@code refused} is 1 for every run that never started. */
  private static final String REPLACE = "DELETE FROM runs WHERE request_id = ? AND refused = 1";
  private static final String SAVE = """
      UPDATE runs SET status = :status, refused = :refused, finished_at = :finished_at, approval = :approval, \
      document = :document WHERE request_id = :id""";
  /** Leaves out {@code finished_at}, or the index of unfinished runs would be written each time. */
  private static final String SAVE_PROGRESS = """
      UPDATE runs SET status = :status, refused = :refused, document = :document \
      WHERE request_id = :id AND finished_at IS NULL""";
  private static final String SAVE_AS = """
      UPDATE runs SET status = ?, document = ? WHERE request_id = ? AND executor = ? AND finished_at IS NULL""";
  private static final String FORGET = "DELETE FROM runs WHERE request_id = ?";
  private static final String FIND = "SELECT document FROM runs WHERE request_id = ?";
  private static final String UNFINISHED = """
      SELECT request_id, executor FROM runs WHERE finished_at IS NULL ORDER BY created_at, sequence""";
  /** The condition on {@code created_at} is redundant, but it is the one with an index. */
  private static final String FINISHED = """
      SELECT request_id FROM runs WHERE created_at < ? AND finished_at < ? ORDER BY created_at, sequence LIMIT ?""";
  private static final String OLDEST_KEPT = """
      SELECT created_at, sequence FROM runs ORDER BY created_at DESC, sequence DESC LIMIT 1 OFFSET ?""";
  private static final String FINISHED_BEYOND = """
      SELECT request_id FROM runs WHERE (created_at, sequence) < (?, ?) AND finished_at IS NOT NULL \
      ORDER BY created_at, sequence LIMIT ?""";
  private static final List<String> CRITERIA = List.of("intent = :intent", "status = :status", "actor = :actor",
      "lock_name = :lock", "created_at >= :since", "substr(request_id, 1, length(:prefix)) = :prefix",
      "(created_at, sequence) < (:after_at, :after_sequence)");
  private static final String DISCARD = "DELETE FROM runs WHERE request_id = ? AND finished_at < ?";
  private static final String AT_WORK = """
      SELECT document FROM runs WHERE request_id = ? AND executor = ? AND finished_at IS NULL""";
  private static final String LOCKED = AT_WORK + "{{lock}}";
  private static final String INTERRUPT = """
      UPDATE runs SET status = :status, refused = :refused, finished_at = :finished_at, document = :document \
      WHERE request_id = :id AND executor = :executor AND finished_at IS NULL AND document = :seen""";

  private static final String TAKE = """
      UPDATE runs SET executor = :to, status = :status, document = :document \
      WHERE request_id = :id AND executor = :from AND finished_at IS NULL AND document = :seen""";

  private static final String AWAITING = """
      SELECT document FROM runs WHERE request_id = ? AND executor = 'approval' AND finished_at IS NULL{{lock}}""";
  private static final String CHANGE_AWAITING = """
      UPDATE runs SET executor = :to, status = :status, refused = :refused, finished_at = :finished_at, \
      approval = :approval, open_until = :open_until, document = :document \
      WHERE request_id = :id AND executor = 'approval' AND finished_at IS NULL AND document = :seen""";
  private static final String APPROVALS = """
      SELECT document FROM runs WHERE approval = COALESCE(?, approval) \
      ORDER BY created_at DESC, sequence DESC LIMIT ?""";
  private static final String OPEN_APPROVALS = "SELECT COUNT(*) FROM runs WHERE approval = 'open'";
  private static final String UNAPPROVED = """
      SELECT request_id FROM runs WHERE open_until <= ? AND finished_at IS NULL ORDER BY open_until LIMIT ?""";

  /** Documents may have a hundred kilobytes each. */
  private static final int TOGETHER = 32;

  private final Database database;
  private final SqlRunRequests requests;
  private final RunChanges changes;
  private final RunRecords records;

  SqlRunStore(Database database, RunChanges changes, RunRecords records) {
    this.database = database;
    this.records = records;
    this.requests = new SqlRunRequests(database);
    this.changes = changes;
  }

  /** A stored run with the id or key of a claim. */
  private record Match(RequestId requestId, boolean isSame, boolean isUnstarted, String document) {}

  @Override
  public Prior look(RequestKey claim) {
    return database.read(session -> judge(matches(session, claim))).orElseGet(New::new);
  }

  @Override
  public Optional<Quota.Exceeded> exceeded(Run run, List<Quota> quotas) {
    return quotas.isEmpty()
        ? Optional.empty()
        : database.read(session -> quotas().exceeded(session, run, quotas)).flatMap(found -> found);
  }

  private RunQuotas quotas() {
    return new RunQuotas(database);
  }

  @Override
  public Prior begin(RequestKey claim, Run run, String executor, List<Quota> quotas) {
    if (!claim.requestId().equals(run.requestId()) || !claim.actor().equals(run.header().origin().actor().name())) {
      throw new IllegalStateException(
          "the claim of " + claim.requestId() + " is not the claim of run " + run.requestId());
    }
    RunRow row = RunRow.of(claim, run, executor);
    if (run.finishedAt() != null) {
      return database.writeSwiftly(session -> begin(session, claim, run, row, quotas));
    }
    return records.write(database, session -> begin(session, claim, run, row, quotas),
        prior -> prior instanceof New ? row.record() : null);
  }

  private Prior begin(Session session, RequestKey claim, Run run, RunRow row, List<Quota> quotas)
      throws SQLException {
    if (quotas.isEmpty()) {
      return begin(session, claim, row);
    }
    quotas().enter(session, quotas);
    Prior prior = begin(session, claim, row);
    Optional<Quota.Exceeded> exceeded = prior instanceof New
        ? quotas().exceeded(session, run, quotas)
        : Optional.empty();
    if (exceeded.isPresent()) {
      session.update(FORGET, run.requestId().value());
      return new OverQuota(exceeded.get());
    }
    return prior;
  }

  /**
   * A conflicting row is read; if its run never started, it is deleted and the insertion repeated, which only one of
   * many wins.
   */
  private Prior begin(Session session, RequestKey claim, RunRow row) throws SQLException {
    while (!row.isInserted(session)) {
      List<Match> matches = matches(session, claim);
      Prior prior = judge(matches);
      if (prior instanceof Same || prior instanceof Different) {
        return prior;
      }
      for (Match unstarted : matches) {
        if (session.update(REPLACE, unstarted.requestId().value()) == 1) {
          SqlRunRequests.removeAll(session, unstarted.requestId());
        }
      }
    }
    return new New();
  }

  private static List<Match> matches(Session session, RequestKey claim) throws SQLException {
    List<Match> matches = new ArrayList<>(
        session.query(BY_ID, row -> match(row, claim), claim.requestId().value()));
    String key = claim.key();
    if (key != null) {
      matches.addAll(session.query(BY_KEY, row -> match(row, claim), escaped(claim.actor()), escaped(key)));
    }
    return matches;
  }

  private static Match match(ResultSet row, RequestKey claim) throws SQLException {
    boolean isSame = row.getString(2).equals(escaped(claim.actor()))
        && row.getString(3).equals(escaped(claim.digest()));
    return new Match(new RequestId(row.getString(1)), isSame, row.getInt(4) == 1, row.getString(5));
  }

  private Prior judge(List<Match> matches) {
    Prior prior = new New();
    for (Match match : matches) {
      if (!match.isSame()) {
        return new Different(match.requestId());
      }
      Run run = run(match.document());
      if (!match.isUnstarted() || run.isRejected()) {
        return new Same(run);
      }
      prior = run.refusal() == null ? new Unstarted(run) : prior;
    }
    return prior;
  }

  @Override
  public void save(Run run, boolean durable) {
    String document = RunDocument.write(run);
    if (durable && run.finishedAt() != null) {
      records.write(database, session -> save(session, run, document),
          isSaved -> isSaved ? RunRecords.ended(run, document) : null);
    } else if (durable) {
      database.writeDurably(session -> save(session, run, document));
    } else {
      database.writeSwiftly(session -> save(session, run, document));
    }
  }

  private static boolean save(Session session, Run run, String document) throws SQLException {
    String id = run.requestId().value();
    boolean isSaved = 1 == session.update(run.finishedAt() == null ? SAVE_PROGRESS : SAVE,
        new NamedValues().put("status", run.status().toString()).put("refused", RunRow.refused(run))
            .put("finished_at", RunRow.millis(run.finishedAt())).put("approval", RunRow.approval(run))
            .put("document", document).put("id", id));
    if (!isSaved && session.first(FIND, row -> row.getString(1), id).isEmpty()) {
      throw new IllegalStateException("run " + id + " was never begun, or was forgotten");
    }
    if (isSaved) {
      changed(session, run);
    }
    return isSaved;
  }

  /** Announces a change of a run, and removes its requests if it has ended. */
  private static void changed(Session session, Run run) throws SQLException {
    if (run.finishedAt() != null) {
      SqlRunRequests.removeAll(session, run.requestId());
    }
    session.announce(SqlRunChanges.name(RunChanges.Topic.RUNS), run.requestId().value());
  }

  @Override
  public boolean start(Run running, String executor) {
    return database.writeDurably(session -> saveAs(session, running, executor));
  }

  @Override
  public boolean saveWait(Run waiting, String executor) {
    return database.writeSwiftly(session -> saveAs(session, waiting, executor));
  }

  private static boolean saveAs(Session session, Run run, String executor) throws SQLException {
    boolean isSaved = session.update(SAVE_AS, run.status().toString(), RunDocument.write(run),
        run.requestId().value(),
        escaped(executor)) == 1;
    if (isSaved) {
      changed(session, run);
    }
    return isSaved;
  }

  @Override
  public void forget(RequestId requestId) {
    database.writeSwiftly(session -> {
      session.update(FORGET, requestId.value());
      SqlRunRequests.removeAll(session, requestId);
      return true;
    });
    records.removed(requestId);
  }

  @Override
  public Optional<Run> find(RequestId requestId) {
    return database.read(session -> session.first(FIND, this::run, requestId.value())).flatMap(found -> found);
  }

  @Override
  public void read(Query query, Predicate<Placed<Run>> reader) {
    RunStatus status = query.status();
    Cursor after = query.after();
    NamedValues values = new NamedValues().put("intent", escapedOrNull(query.intent()))
        .put("status", status == null ? null : status.toString()).put("actor", escapedOrNull(query.actor()))
        .put("lock", query.lock()).put("since", RunRow.millis(query.since())).put("prefix", query.idPrefix())
        .put("after_at", after == null ? null : after.number(0))
        .put("after_sequence", after == null ? null : after.number(1));
    new PagedQuery("SELECT document, created_at, sequence FROM runs", "runs", CRITERIA, values,
        "created_at DESC, sequence DESC").read(database, query.limit(), TOGETHER,
            row -> new Placed<>(run(row), Cursor.of(row.getLong(2), row.getLong(3))), reader);
  }

  @Override
  public List<RequestId> finishedBefore(Instant moment, int limit) {
    return database.read(session -> session.query(FINISHED, row -> new RequestId(row.getString(1)),
        moment.toEpochMilli(), moment.toEpochMilli(), limit)).orElse(List.of());
  }

  @Override
  public List<RequestId> finishedBeyond(int kept, int limit) {
    return database.read(session -> {
      List<Long> oldest = session.first(OLDEST_KEPT, row -> List.of(row.getLong(1), row.getLong(2)), kept - 1)
          .orElse(List.of());
      return oldest.isEmpty()
          ? List.<RequestId>of()
          : session.query(FINISHED_BEYOND, row -> new RequestId(row.getString(1)), oldest.get(0), oldest.get(1), limit);
    }).orElse(List.of());
  }

  @Override
  public boolean discard(RequestId requestId, Instant finishedBefore) {
    boolean isGone = database.writeSwiftly(session -> {
      boolean isDiscarded = session.update(DISCARD, requestId.value(), finishedBefore.toEpochMilli()) == 1;
      if (isDiscarded) {
        SqlRunRequests.removeAll(session, requestId);
      }
      return isDiscarded;
    });
    if (isGone) {
      records.removed(requestId);
    }
    return isGone;
  }

  @Override
  public List<Unfinished> unfinished() {
    return database.read(session -> session.query(UNFINISHED,
        row -> new Unfinished(new RequestId(row.getString(1)), given(row.getString(2))))).orElse(List.of());
  }

  /** The run may change between the read and the write, so the write applies only to the document that was read. */
  @Override
  public Optional<Run> interrupt(RequestId requestId, String executor, Instant at, Instant stoppedAt) {
    if (find(requestId).isEmpty()) {
      return Optional.empty();
    }
    return database.writeDurably(session -> interrupt(session, requestId, executor, at, stoppedAt));
  }

  private Optional<Run> interrupt(Session session, RequestId requestId, String executor, Instant at, Instant stoppedAt)
      throws SQLException {
    for (;;) {
      Optional<String> seen = session.first(AT_WORK, row -> row.getString(1), requestId.value(), escaped(executor));
      if (seen.isEmpty()) {
        return Optional.empty();
      }
      Run run = run(seen.get());
      Run interrupted = Interruption.of(run, Instant.ofEpochMilli(at.toEpochMilli()), stoppedAt);
      NamedValues values = new NamedValues().put("status", interrupted.status().toString())
          .put("refused", run.isUnstarted() ? 1 : 0).put("finished_at", at.toEpochMilli())
          .put("document", RunDocument.write(interrupted)).put("id", requestId.value())
          .put("executor", escaped(executor)).put("seen", seen.get());
      if (session.update(INTERRUPT, values) == 1) {
        changed(session, interrupted);
        return Optional.of(interrupted);
      }
    }
  }

  @Override
  public Optional<Run> take(RequestId requestId, String from, String to, @Nullable String host, List<Quota> quotas) {
    return database.writeDurably(session -> {
      quotas().enter(session, quotas);
      return take(session, requestId, from, to, host, quotas);
    });
  }

  /** The row is locked before the requests are read, so that none is recorded between that and the change. */
  private Optional<Run> take(Session session, RequestId requestId, String from, String to, @Nullable String host,
      List<Quota> quotas) throws SQLException {
    for (;;) {
      Optional<String> seen = session.first(LOCKED, row -> row.getString(1), requestId.value(), escaped(from));
      Optional<Run> untouched = seen.map(this::run)
          .filter(run -> from.equals(to) ? run.begun().isEmpty() : run.isUnstarted()).map(Run::untouched);
      if (untouched.isEmpty() || (to.equals(QUEUE) && SqlRunRequests.isCancelled(session, requestId))
          || quotas().isFull(session, untouched.get(), quotas)) {
        return Optional.empty();
      }
      Run taken = host == null ? untouched.get() : untouched.get().onHost(host);
      NamedValues values = new NamedValues().put("to", escaped(to)).put("status", taken.status().toString())
          .put("document", RunDocument.write(taken)).put("id", requestId.value()).put("from", escaped(from))
          .put("seen", seen.get());
      if (session.update(TAKE, values) == 1) {
        changed(session, taken);
        return Optional.of(taken);
      }
    }
  }

  @Override
  public Optional<Run> changeAwaiting(RequestId requestId, UnaryOperator<Run> change) {
    return records.write(database, session -> changeAwaiting(session, requestId, change), changed -> changed
        .filter(run -> run.finishedAt() != null).map(run -> RunRecords.ended(run, RunDocument.write(run)))
        .orElse(null));
  }

  private Optional<Run> changeAwaiting(Session session, RequestId requestId, UnaryOperator<Run> change)
      throws SQLException {
    for (;;) {
      Optional<String> seen = session.first(AWAITING, row -> row.getString(1), requestId.value());
      if (seen.isEmpty()) {
        return Optional.empty();
      }
      Run before = run(seen.get());
      Run after = change.apply(before);
      if (after.equals(before)) {
        return Optional.of(after);
      }
      NamedValues values = new NamedValues().put("to", after.status() == RunStatus.WAITING ? QUEUE : APPROVAL)
          .put("status", after.status().toString()).put("refused", RunRow.refused(after))
          .put("finished_at", RunRow.millis(after.finishedAt())).put("approval", RunRow.approval(after))
          .put("open_until", RunRow.openUntil(after)).put("document", RunDocument.write(after))
          .put("id", requestId.value()).put("seen", seen.get());
      if (session.update(CHANGE_AWAITING, values) == 1) {
        changed(session, after);
        return Optional.of(after);
      }
    }
  }

  @Override
  public List<Run> approvals(Approval.@Nullable State state, int limit) {
    return database.read(session -> session.query(APPROVALS, this::run, state == null ? null : state.toString(), limit))
        .orElse(List.of());
  }

  @Override
  public long openApprovals() {
    return database.read(session -> session.first(OPEN_APPROVALS, row -> row.getLong(1))).flatMap(found -> found)
        .orElse(0L);
  }

  @Override
  public List<RequestId> unapproved(Instant moment, int limit) {
    return database.read(session -> session.query(UNAPPROVED, row -> new RequestId(row.getString(1)),
        moment.toEpochMilli(), limit)).orElse(List.of());
  }

  @Override
  public StandingApprovals standingApprovals() {
    return new SqlStandingApprovals(database);
  }

  @Override
  public RefusalStore refusals() {
    return new SqlRefusals(database);
  }

  @Override
  public RunRequests requests() {
    return requests;
  }

  @Override
  public RunChanges changes() {
    return changes;
  }

  @Override
  public void close() {
    database.close();
  }

  private Run run(ResultSet row) throws SQLException {
    return run(row.getString(1));
  }

  private Run run(String document) {
    try {
      return RunDocument.read(document);
    } catch (ClassCastException | NullPointerException e) {
      // The messages of these exceptions name classes, and this message is shown to callers.
      throw unreadable(document, "a member of it has the wrong type", e);
    } catch (JsonException | RuntimeException e) {
      throw unreadable(document, String.valueOf(e.getMessage()), e);
    }
  }

  private StorageException unreadable(String document, String why, Exception e) {
    String broken = " cannot be read (" + why + "); it begins with "
        + document.substring(0, Math.min(document.length(), 60)) + "; delete that row of runs";
    return new StorageException("a run in the database " + database.name() + broken,
        "a run in the database" + broken, e);
  }

  private static @Nullable String escapedOrNull(@Nullable String text) {
    return text == null ? null : escaped(text);
  }

  /** The form of a text in a column; different texts have different forms. */
  static String escaped(String text) {
    String quoted = JsonWriter.quote(text);
    return quoted.substring(1, quoted.length() - 1);
  }

  static String given(String escaped) {
    try {
      return JsonReader.readObject("{\"text\":\"" + escaped + "\"}").text("text").orElse(escaped);
    } catch (JsonException writtenByHand) {
      return escaped;
    }
  }
}

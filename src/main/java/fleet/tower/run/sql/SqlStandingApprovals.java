package fleet.tower.run.sql;

import java.time.Instant;
import java.util.List;

import fleet.tower.approval.StandingApprovals;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;

/** Approvals for later runs as rows. */
record SqlStandingApprovals(Database database) implements StandingApprovals {
  private static final String REVOKE = "DELETE FROM standing_approvals WHERE request_id = ?";
  private static final String PUT = NamedValues.insertion("standing_approvals",
      "request_id, principal, token, plan_hash, until, remaining, seal")
      + " ON CONFLICT (request_id, principal) DO UPDATE SET token = EXCLUDED.token, plan_hash = EXCLUDED.plan_hash,"
      + " until = EXCLUDED.until, remaining = EXCLUDED.remaining, seal = EXCLUDED.seal";
  private static final String GOOD = """
      SELECT request_id, plan_hash, principal, token, until, remaining, seal FROM standing_approvals \
      WHERE remaining > 0 AND until > ?""";
  private static final String OF = GOOD + " AND plan_hash = ?";
  private static final String IN_ORDER = " ORDER BY until, request_id, principal";
  private static final String USE = """
      UPDATE standing_approvals SET remaining = remaining - 1 \
      WHERE request_id = ? AND principal = ? AND remaining > 0 AND until > ?""";
  private static final String DISCARD = "DELETE FROM standing_approvals WHERE remaining = 0 OR until <= ?";

  @Override
  public void put(Standing approval) {
    database.writeDurably(session -> session.update(PUT, new NamedValues().put("request_id", approval.run().value())
        .put("principal", SqlRunStore.escaped(approval.principal())).put("token", SqlRunStore.escaped(approval.token()))
        .put("plan_hash", approval.planHash()).put("until", approval.until().toEpochMilli())
        .put("remaining", approval.remaining()).put("seal", approval.seal())));
  }

  @Override
  public List<Standing> of(String planHash, Instant now) {
    return read(OF, now.toEpochMilli(), planHash);
  }

  @Override
  public List<Standing> inForce(Instant now) {
    return read(GOOD, now.toEpochMilli());
  }

  private List<Standing> read(String sql, Object... values) {
    return database.read(session -> session.query(sql + IN_ORDER, row -> new Standing(new RequestId(row.getString(1)),
        row.getString(2), SqlRunStore.given(row.getString(3)), SqlRunStore.given(row.getString(4)),
        Instant.ofEpochMilli(row.getLong(5)), row.getInt(6), row.getString(7)), values)).orElse(List.of());
  }

  @Override
  public boolean use(Standing approval, Instant now) {
    return database.writeDurably(session -> session.update(USE, approval.run().value(),
        SqlRunStore.escaped(approval.principal()), now.toEpochMilli()) == 1);
  }

  @Override
  public boolean revoke(RequestId run) {
    return database.writeDurably(session -> session.update(REVOKE, run.value()) > 0);
  }

  @Override
  public void discard(Instant now) {
    database.writeSwiftly(session -> session.update(DISCARD, now.toEpochMilli()));
  }
}

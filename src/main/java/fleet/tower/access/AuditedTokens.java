package fleet.tower.access;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.platform.time.TimeSource;

/**
 * Tokens whose creation, rotation and revocation are written to the audit log.
 *
 * @param actor the actor who creates, rotates and revokes them
 */
public record AuditedTokens(Tokens tokens, AuditLog audit, TimeSource time, Actor actor) implements Tokens {

  @Override
  public List<Grant> list() {
    return tokens.list();
  }

  @Override
  public Issued issue(TokenRequest request) {
    Issued issued = tokens.issue(request);
    audit.append(
        new AuditEvent.TokenCreated(time.now(), issued.grant().name(), issued.grant().role().toString(),
            Origin.of(actor)));
    return issued;
  }

  @Override
  public Optional<OperatorToken> operator() {
    return tokens.operator();
  }

  @Override
  public Optional<Instant> lastUse(Generation token) {
    return tokens.lastUse(token);
  }

  @Override
  public Optional<Issued> rotate(String name, Rotation rotation) {
    Optional<Issued> issued = tokens.rotate(name, rotation);
    issued.map(Issued::grant).ifPresent(grant -> rotated(grant.name(), grant.role()));
    return issued;
  }

  @Override
  public RotatedOperator rotateOperator(Duration overlap) {
    RotatedOperator rotated = tokens.rotateOperator(overlap);
    rotated(Role.OPERATOR.toString(), Role.OPERATOR);
    return rotated;
  }

  @Override
  public Optional<RotatedOperator> adoptOperator(Duration overlap) {
    Optional<RotatedOperator> adopted = tokens.adoptOperator(overlap);
    adopted.ifPresent(_ -> rotated(Role.OPERATOR.toString(), Role.OPERATOR));
    return adopted;
  }

  private void rotated(String name, Role role) {
    audit.append(new AuditEvent.TokenRotated(time.now(), name, role.toString(), Origin.of(actor)));
  }

  @Override
  public Optional<Revoked> revoke(String name) {
    Optional<Revoked> revoked = tokens.revoke(name);
    revoked.map(Revoked::grant).ifPresent(grant -> audit
        .append(new AuditEvent.TokenRevoked(time.now(), grant.name(), grant.role().toString(), Origin.of(actor))));
    return revoked;
  }
}

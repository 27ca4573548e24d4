package fleet.tower.access;

import java.util.List;
import java.util.Optional;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.platform.time.TimeSource;

/**
 * Tokens whose creation and revocation are written to the audit log.
 *
 * @param actor the actor who creates and revokes them
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
  public Optional<Revoked> revoke(String name) {
    Optional<Revoked> revoked = tokens.revoke(name);
    revoked.map(Revoked::grant).ifPresent(grant -> audit
        .append(new AuditEvent.TokenRevoked(time.now(), grant.name(), grant.role().toString(), Origin.of(actor))));
    return revoked;
  }
}

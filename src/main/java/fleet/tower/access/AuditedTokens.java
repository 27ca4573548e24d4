package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.platform.time.TimeSource;

/**
 * Tokens of which the audit log tells who was given one and whose was taken away.
 *
 * @param actor who does so
 */
public record AuditedTokens(Tokens tokens, AuditLog audit, TimeSource time, Actor actor) implements Tokens {
  public AuditedTokens {
    requireNonNull(tokens);
    requireNonNull(audit);
    requireNonNull(time);
    requireNonNull(actor);
  }

  @Override
  public List<Grant> list() {
    return tokens.list();
  }

  @Override
  public Issued issue(Wanted wanted) {
    Issued issued = tokens.issue(wanted);
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

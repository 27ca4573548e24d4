package fleet.tower.access.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.NewTokens;
import fleet.tower.access.OperatorTokenFile;
import fleet.tower.access.StoredAccess;
import fleet.tower.access.Tokens;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Session;

/** Changes the tokens of a fleet: one change at a time among all hosts, known to all within a second. */
record FleetTokens(TokenTables tables, OperatorTokenFile file, StoredAccess.LastUses uses, NewTokens fresh,
    String hostId) implements Tokens {

  @Override
  public List<Grant> list() {
    return tables.load().grants();
  }

  @Override
  public Optional<OperatorToken> operator() {
    return tables.load().operator();
  }

  @Override
  public Optional<Instant> lastUse(Generation token) {
    return uses.last(token.sha256());
  }

  /** The tokens before a change of a name, whose rows the change would lose if they cannot be read. */
  private static StoredTokens readable(long number, Session session, String name) throws SQLException {
    StoredTokens before = TokenTables.stored(number, session);
    before.requireReadable(name);
    return before;
  }

  private Change changed() {
    return new Change(tables.database().name() + "#tokens", true);
  }

  @Override
  public Issued issue(TokenRequest request) {
    String token = fresh.next();
    Grant grant = fresh.grant(request, token);
    tables.change((session, number) -> {
      StoredTokens before = readable(number, session, grant.name());
      if (before.find(grant.name()).isPresent()) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "a token '" + grant.name()
            + "' exists; to replace it without a gap use `tower token rotate " + grant.name()
            + "`, or choose another name");
      }
      TokenTables.write(session, grant, hostId);
      return grant;
    });
    return new Issued(grant, token, changed());
  }

  @Override
  public Optional<Issued> rotate(String name, Rotation rotation) {
    String token = fresh.next();
    Optional<Grant> rotated = tables.change((session, number) -> {
      Optional<Grant> grant = readable(number, session, name).find(name)
          .map(it -> fresh.rotated(it, token, rotation));
      if (grant.isPresent()) {
        TokenTables.write(session, grant.get(), hostId);
      }
      return grant;
    });
    return rotated.map(grant -> new Issued(grant, token, changed()));
  }

  @Override
  public Optional<Revoked> revoke(String name) {
    Optional<Grant> revoked = tables.change((session, number) -> {
      Optional<Grant> grant = readable(number, session, name).find(name);
      if (grant.isPresent()) {
        TokenTables.delete(session, name);
      }
      return grant;
    });
    return revoked.map(grant -> new Revoked(grant, changed()));
  }

  /** Writes the new token next to the file first: a failure before the commit leaves the old one valid everywhere. */
  @Override
  public RotatedOperator rotateOperator(Duration overlap) {
    String token = fresh.next();
    try (OperatorTokenFile.Draft draft = file.draft(token)) {
      OperatorToken rotated = replace(fresh.generation(token, null), overlap);
      draft.keep();
      return new RotatedOperator(rotated, file.path());
    }
  }

  @Override
  public Optional<RotatedOperator> adoptOperator(Duration overlap) {
    Generation own = file.read().map(OperatorToken::current).orElseThrow(
        () -> new StorageException("there is no operator token " + file.path() + " to adopt"));
    if (operator().filter(it -> it.current().sha256().equals(own.sha256())).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(new RotatedOperator(replace(own, overlap), file.path()));
  }

  private OperatorToken replace(Generation next, Duration overlap) {
    return tables.change((session, number) -> {
      List<Generation> ending = readable(number, session, TokenTables.OPERATOR).operator()
          .map(before -> fresh.ending(before, overlap)).orElse(List.of());
      OperatorToken operator = new OperatorToken(next,
          ending.stream().filter(it -> !it.sha256().equals(next.sha256())).toList(), hostId);
      TokenTables.write(session, operator, hostId);
      return operator;
    });
  }
}

package fleet.tower.access.sql;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.access.Grant;
import fleet.tower.access.TokenSource;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.platform.StorageException;

/**
 * The content of the tables after a change.
 *
 * @param version the number of that change, or of an earlier one if another change was just made
 *
 * @param unreadable the names whose rows cannot be read, with the reasons; none of their tokens is valid
 */
record StoredTokens(long version, Optional<OperatorToken> operator, List<Grant> grants,
    Map<String, String> unreadable) {
  StoredTokens {
    grants = List.copyOf(grants);
    unreadable = Collections.unmodifiableMap(new LinkedHashMap<>(unreadable));
  }

  /** Throws if the rows of a name cannot be read; a change would lose them. */
  void requireReadable(String name) {
    String problem = unreadable.get(name);
    if (problem != null) {
      throw new StorageException(problem);
    }
  }

  Optional<Grant> find(String name) {
    return grants.stream().filter(grant -> grant.name().equals(name)).findFirst();
  }

  TokenSource.Known known() {
    return new TokenSource.Known(operator.map(OperatorToken::generations).orElse(List.of()), grants);
  }
}

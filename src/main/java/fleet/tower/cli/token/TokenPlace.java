package fleet.tower.cli.token;

import java.util.Optional;

import fleet.tower.access.Tokens;
import fleet.tower.home.Home;
import fleet.tower.platform.StorageException;

/**
 * A place where tokens are stored.
 *
 * @param isFile whether it is the file of this host
 */
record TokenPlace(Tokens tokens, boolean isFile) {

  /** The file of this host. */
  static TokenPlace file(Home home) {
    return new TokenPlace(home.access().localTokens(), true);
  }

  /** Where commands change tokens by default: the database of the fleet; without one, the file. */
  static TokenPlace usual(Home home) {
    return home.access().hasFleetTokens() ? new TokenPlace(home.access().tokens(), false) : file(home);
  }

  /** The other place; empty without a fleet. */
  Optional<TokenPlace> other(Home home) {
    return !home.access().hasFleetTokens() ? Optional.empty() : Optional.of(isFile ? usual(home) : file(home));
  }

  /** Whether a token has a name; false if the place cannot be read: the tokens elsewhere can still be changed. */
  boolean has(String name) {
    try {
      return tokens.list().stream().anyMatch(grant -> grant.name().equals(name));
    } catch (StorageException unreadable) {
      return false;
    }
  }

  String name() {
    return isFile ? "file" : "fleet";
  }

  String where() {
    return isFile ? "in config/tokens.yaml of this host" : "in the database of the fleet";
  }

  /** The option that selects it. */
  String option() {
    return isFile ? " --local" : "";
  }
}

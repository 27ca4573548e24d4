package fleet.tower.access;

import java.util.Optional;

import fleet.tower.access.Tokens.OperatorToken;

/** The file of this host with the operator's own token, as its fleet uses it. */
public interface OperatorTokenFile {

  /** The path of the file. */
  String path();

  /** The digests in the file, without changing or reporting anything; empty if there is no file. */
  Optional<OperatorToken> look();

  /** The same; a file that others could read is restricted, with a warning. An invalid one is an error. */
  Optional<OperatorToken> read();

  /**
   * Writes a token to a draft next to the file. Until the draft is closed, no other process of this host replaces the
   * file.
   */
  Draft draft(String token);

  /** A token that is stored, but not yet in the file. */
  interface Draft extends AutoCloseable {

    /** Replaces the file. */
    void keep();

    /** Removes the token unless it was kept. */
    @Override
    void close();
  }
}

package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import fleet.tower.access.Access;
import fleet.tower.access.Tokens;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.TimeSource;

/**
 * Opens the tokens of a home.
 *
 * @param state where the operator's token is
 * @param config where the tokens are that the operator gives to others
 * @param warnings told when a token was less secret than it should be, and what is wrong with the tokens' file
 */
public record AccessFiles(Path state, Path config, TimeSource time, Consumer<String> warnings) {

  /**
   * Reads the operator token, and writes one if there is none.
   *
   * @param random where a new token comes from; it must not be guessable
   * @param onNewToken told where the operator token is, when it was written just now
   */
  public Access open(RandomGenerator random, Consumer<String> onNewToken) {
    TokenFile file = new TokenFile(state.resolve("token"), warnings);
    try {
      if (file.makeIfAbsent(random)) {
        onNewToken.accept(file.path().toString());
      }
      HomeAccess access = new HomeAccess(file.read(), new TokensFile(file(), time, warnings), time);
      new TokensEditor(file(), random).keepReserve();
      // What is wrong is told at the start, and not to the first who calls.
      access.complaints();
      return access;
    } catch (IOException e) {
      throw new StorageException("the operator token " + file.path() + " cannot be had: " + Errno.describe(e)
          + "; make its directory writable for this user, or set TOWER_HOME to a home of your own", e);
    }
  }

  /** The tokens of others, to be looked at and changed. */
  public Tokens tokens(RandomGenerator random) {
    return new TokensEditor(file(), random);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    Examination operators = new TokenExamination(state, time);
    Examination others = new TokensExamination(file(), time);
    return () -> Stream.concat(operators.examine().stream(), others.examine().stream()).toList();
  }

  private Path file() {
    return config.resolve("tokens.yaml");
  }
}

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
 * Factory of access control from the files of a home.
 *
 * @param state the directory of the operator's token
 *
 * @param config the directory of the tokens that the operator creates
 *
 * @param warnings receives problems of the tokens' files, and exposed tokens
 */
public record AccessFiles(Path state, Path config, TimeSource time, Consumer<String> warnings) {

  /**
   * Reads the operator token; creates one if there is none.
   *
   * @param random the source of a new token; must not be predictable
   *
   * @param onNewToken receives the path of a token that was created
   */
  public Access open(RandomGenerator random, Consumer<String> onNewToken) {
    TokenFile file = new TokenFile(state.resolve("token"), warnings);
    try {
      if (file.createIfAbsent(random)) {
        onNewToken.accept(file.path().toString());
      }
      HomeAccess access = new HomeAccess(file.read(), new TokensFile(file(), time, warnings), time);
      new TokensEditor(file(), random).keepReserve();
      // Report problems at startup, not to the first caller.
      access.complaints();
      return access;
    } catch (IOException e) {
      throw new StorageException("the operator token " + file.path() + " is not available: " + Errno.describe(e)
          + "; make its directory writable for this user, or set TOWER_HOME to a home of your own", e);
    }
  }

  /** The tokens of others, for listing and changes. */
  public Tokens tokens(RandomGenerator random) {
    return new TokensEditor(file(), random);
  }

  /** The health check of the tokens. */
  public Examination examination() {
    Examination operators = new TokenExamination(state, time);
    Examination others = new TokensExamination(file(), time);
    return () -> Stream.concat(operators.examine().stream(), others.examine().stream()).toList();
  }

  private Path file() {
    return config.resolve("tokens.yaml");
  }
}

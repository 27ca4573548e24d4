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
      TokensFile others = new TokensFile(file(), time, warnings);
      HomeAccess access = new HomeAccess(new CurrentOperator(new OperatorFile(file, time), time, warnings), others,
          uses(), time);
      editor(random).keepReserve();
      // Report problems at startup, not to the first caller.
      if (access.complaints().isEmpty()) {
        uses().keep(access.digests());
      }
      return access;
    } catch (IOException e) {
      throw new StorageException("the operator token " + file.path() + " is not available: " + Errno.describe(e)
          + "; make its directory writable for this user, or set TOWER_HOME to a home of your own", e);
    }
  }

  /** The tokens of others, for listing and changes. */
  public Tokens tokens(RandomGenerator random) {
    return editor(random);
  }

  private TokensEditor editor(RandomGenerator random) {
    TokenFile token = new TokenFile(state.resolve("token"), warnings);
    return new TokensEditor(file(), new OperatorFile(token, time), uses(), time, random);
  }

  private TokenUses uses() {
    return new TokenUses(state.resolve("token-uses"), time);
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

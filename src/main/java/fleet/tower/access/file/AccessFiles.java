package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import fleet.tower.access.Access;
import fleet.tower.disk.Errno;
import fleet.tower.doctor.Examination;
import fleet.tower.lock.StorageException;
import fleet.tower.time.TimeSource;

/**
 * Opens the tokens of a home.
 *
 * @param random where a new token comes from; it must not be guessable
 * @param onNewToken told where the operator token is, when it was written just now
 * @param warnings told when a token was less secret than it should be
 */
public record AccessFiles(Path directory, RandomGenerator random, Consumer<String> onNewToken,
    Consumer<String> warnings) {

  /** Reads the operator token, and writes one if there is none. */
  public Access open() {
    TokenFile file = new TokenFile(directory.resolve("token"), warnings);
    try {
      if (file.makeIfAbsent(random)) {
        onNewToken.accept(file.path().toString());
      }
      return new OperatorAccess(file.read());
    } catch (IOException e) {
      throw new StorageException("the operator token " + file.path() + " cannot be had: " + Errno.describe(e)
          + "; make its directory writable for this user, or set TOWER_HOME to a home of your own", e);
    }
  }

  /** What the doctor looks at here. */
  public static Examination examination(Path directory, TimeSource time) {
    return new TokenExamination(directory, time);
  }
}

package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Access;
import fleet.tower.access.NewTokens;
import fleet.tower.access.OperatorTokenFile;
import fleet.tower.access.StoredAccess;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.TokenSource;
import fleet.tower.access.Tokens;
import fleet.tower.platform.Examination;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Complaint;

/**
 * Factory of access control from the files of a home.
 *
 * @param state the directory of the operator's token
 *
 * @param config the directory of the tokens that the operator creates
 *
 * @param lifetime how old the tokens of others than the operator may become
 *
 * @param warnings receives problems of the tokens' files, and exposed tokens
 */
public record AccessFiles(Path state, Path config, TokenLifetime lifetime, TimeSource time,
    Consumer<String> warnings) {
  /** Those of a home in which a token may have any age. */
  public AccessFiles(Path state, Path config, TimeSource time, Consumer<String> warnings) {
    this(state, config, TokenLifetime.ANY, time, warnings);
  }

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
      StoredAccess access = new StoredAccess(
          List.of(new FileTokens(new CurrentOperator(new OperatorFile(file, time), time, warnings), others())),
          uses(), time, lifetime);
      prepare(access, random);
      return access;
    } catch (IOException e) {
      throw new StorageException("the operator token " + file.path() + " is not available: " + Errno.describe(e)
          + "; make its directory writable for this user, or set TOWER_HOME to a home of your own", e);
    }
  }

  /** Access control in a fleet, which stores the operator's token and others in its database. */
  public Access open(TokenSource fleet, RandomGenerator random) {
    StoredAccess access = new StoredAccess(List.of(new FileTokens(null, others()), fleet), uses(), time,
        lifetime);
    prepare(access, random);
    return access;
  }

  private void prepare(StoredAccess access, RandomGenerator random) {
    editor(random).keepReserve();
    // Report problems at startup, not to the first caller.
    if (access.complaints().isEmpty()) {
      access.forgetOthers();
    }
  }

  private TokensFile others() {
    return new TokensFile(file(), time, warnings);
  }

  /** The tokens of the files, for listing and changes. */
  public Tokens tokens(RandomGenerator random) {
    return editor(random);
  }

  private TokensEditor editor(RandomGenerator random) {
    return new TokensEditor(file(), operatorFile(), uses(), new NewTokens(time, random, lifetime));
  }

  /** The file of the operator's token. */
  public OperatorTokenFile operator() {
    return operatorFile();
  }

  private OperatorFile operatorFile() {
    return new OperatorFile(new TokenFile(state.resolve("token"), warnings), time);
  }

  /** The key of the home, in a file beside the operator's token. */
  public HomeKey key(RandomGenerator random) {
    return new HomeKey(new KeyFile(new TokenFile(state.resolve("plan-key"), warnings), random)::read);
  }

  /** When tokens were last used on this host. */
  public StoredAccess.LastUses uses() {
    return new TokenUses(state.resolve("token-uses"), time);
  }

  /** The health check of the tokens. */
  public Examination examination() {
    return examination(false);
  }

  /** The same in a fleet, which decides which token is the operator's. */
  public Examination fleetExamination() {
    return examination(true);
  }

  private Examination examination(boolean isFleet) {
    Examination operators = new TokenExamination(state, isFleet, time);
    Examination others = new TokensExamination(file(), isFleet, lifetime, time);
    return () -> Stream.concat(operators.examine().stream(), others.examine().stream()).toList();
  }

  private Path file() {
    return config.resolve("tokens.yaml");
  }

  /**
   * The tokens in the files of a home.
   *
   * @param operator the operator's token; null in a fleet, which has one for all hosts
   */
  record FileTokens(@Nullable CurrentOperator operator, TokensFile others) implements TokenSource {

    @Override
    public TokenSource.Known known() {
      return new TokenSource.Known(operator == null ? List.of() : operator.get().generations(), others.grants());
    }

    @Override
    public TokenSource.Known renewed() {
      return new TokenSource.Known(operator == null ? List.of() : operator.renewed().generations(), others.renewed());
    }

    @Override
    public List<String> complaints() {
      return Stream.concat(operator == null ? Stream.empty() : operator.complaints().stream(),
          others.complaints().stream().map(Complaint::toString)).toList();
    }
  }
}

package fleet.tower.access.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Access;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.access.TokensContract;
import fleet.tower.platform.Finding;

@DisplayName("Tokens in the files of a home")
class FileTokensContractTest extends TokensContract {
  private final Path home;
  private AccessFiles files;

  FileTokensContractTest(@TempDir Path home) {
    this.home = home;
    this.files = new AccessFiles(home.resolve("state"), home.resolve("config"), time, _ -> {});
  }

  @Override
  protected void limit(TokenLifetime lifetime) {
    files = new AccessFiles(home.resolve("state"), home.resolve("config"), lifetime, time, _ -> {});
  }

  @Override
  protected List<Finding> examine() {
    return files.examination().examine();
  }

  @Override
  protected Tokens tokens() {
    return files.tokens(new SecureRandom());
  }

  @Override
  protected Access open() {
    return files.open(new SecureRandom(), _ -> {});
  }

  @Override
  protected String stored() {
    return text(home.resolve("config/tokens.yaml")) + text(home.resolve("state/token.previous"));
  }

  @Override
  protected String operator() {
    return text(home.resolve("state/token")).strip();
  }

  private static String text(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

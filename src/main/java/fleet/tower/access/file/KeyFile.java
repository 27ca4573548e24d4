package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.random.RandomGenerator;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;

/** The key of a home, in a file that is created like that of a token. */
record KeyFile(TokenFile file, RandomGenerator random) {
  String read() {
    try {
      boolean _ = file.createIfAbsent(random);
      if (Files.isRegularFile(file.path(), LinkOption.NOFOLLOW_LINKS)) {
        String key = TokenFile.text(file.path());
        if (TokenFile.isToken(key)) {
          return key;
        }
      }
    } catch (IOException e) {
      throw new StorageException(sentence() + " cannot be used: " + Errno.describe(e), e);
    }
    throw new StorageException(sentence() + " is not a file with one line of 32 to 512 characters; remove it to have a"
        + " new one created, which changes the hash of every plan with a secret");
  }

  private String sentence() {
    return "the key " + file.path() + ", under which plans show secrets,";
  }
}

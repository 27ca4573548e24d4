package fleet.tower.access.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import fleet.tower.access.NewTokens;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;

/**
 * The file of the operator's token. It appears atomically: if several processes create it at once, one succeeds, and
 * all use its token. {@link OperatorFile} replaces it.
 */
final class TokenFile {
  private static final Set<PosixFilePermission> OWNERS = EnumSet.of(PosixFilePermission.OWNER_READ,
      PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

  private final Path path;
  private final Consumer<String> warnings;

  TokenFile(Path path, Consumer<String> warnings) {
    this.path = path;
    this.warnings = warnings;
  }

  Path path() {
    return path;
  }

  /** Creates a token unless there is one; returns whether this call did. */
  boolean createIfAbsent(RandomGenerator random) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    Path directory = path.resolveSibling("");
    OwnerOnly.makeDirectories(directory);
    Path fresh = Files.createTempFile(directory, ".token", ".new", OwnerOnly.FILE);
    try {
      WrittenFile.write(fresh, (NewTokens.next(random) + "\n").getBytes(StandardCharsets.US_ASCII));
      Files.createLink(path, fresh);
      OwnerOnly.sync(directory);
      return true;
    } catch (FileAlreadyExistsException createdConcurrently) {
      return false;
    } finally {
      Files.delete(fresh);
    }
  }

  /** Reads the token, after restricting its file to its owner. */
  String read() throws IOException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new StorageException("the operator token " + path
          + " is not a file; remove it to have a new one created");
    }
    close(path.resolveSibling(""));
    close(path);
    String token = text(path);
    if (!isToken(token)) {
      throw new StorageException("the operator token " + path
          + " is not one line of 32 to 512 characters without spaces; remove it to have a new one created");
    }
    return token;
  }

  static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
  }

  static boolean isToken(String text) {
    return text.matches("[!-~]{32,512}");
  }

  /** Removes the permissions of others on a file, and warns if there were any. */
  private void close(Path file) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
    if (OWNERS.containsAll(permissions)) {
      return;
    }
    String before = PosixFilePermissions.toString(permissions);
    permissions.retainAll(OWNERS);
    Files.setPosixFilePermissions(file, permissions);
    warnings
        .accept(file + " was open to others (" + before + ") and is now restricted; if others may have read the token,"
            + " run `tower token rotate operator`");
  }
}

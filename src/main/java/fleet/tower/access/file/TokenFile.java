package fleet.tower.access.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.OwnerOnly;

/**
 * The file of a token. It appears whole or not at all, and is never replaced: of many processes that make it at the same time
 * one wins, and all use that one's.
 */
final class TokenFile {
  private static final int RANDOM_BYTES = 32;
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

  /** Writes a new token unless there is one; true when it was this call that did. */
  boolean makeIfAbsent(RandomGenerator random) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    Path directory = path.resolveSibling("");
    OwnerOnly.makeDirectories(directory);
    Path fresh = Files.createTempFile(directory, ".token", ".new", OwnerOnly.FILE);
    try {
      try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
        out.write((newToken(random) + "\n").getBytes(StandardCharsets.US_ASCII));
        out.getFD().sync();
      }
      Files.createLink(path, fresh);
      OwnerOnly.sync(directory);
      return true;
    } catch (FileAlreadyExistsException somebodyElseWasFaster) {
      return false;
    } finally {
      Files.delete(fresh);
    }
  }

  /** A token that nobody can guess. */
  static String newToken(RandomGenerator random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return "tower_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The token, which nobody but its owner can read any more when this returns. */
  String read() throws IOException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new StorageException("the operator token " + path + " is not a file; remove it, and a new one is written");
    }
    close(path.resolveSibling(""));
    close(path);
    String token = text(path);
    if (!isToken(token)) {
      throw new StorageException("the operator token " + path
          + " is not 32 to 512 characters without blanks on one line; remove it, and a new one is written");
    }
    return token;
  }

  static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
  }

  static boolean isToken(String text) {
    return text.matches("[!-~]{32,512}");
  }

  /** Takes from others what they may do with a file, and tells that they had it. */
  private void close(Path file) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
    if (OWNERS.containsAll(permissions)) {
      return;
    }
    String before = PosixFilePermissions.toString(permissions);
    permissions.retainAll(OWNERS);
    Files.setPosixFilePermissions(file, permissions);
    warnings
        .accept(file + " was open to others (" + before + ") and is closed now; if somebody may have read the token,"
            + " remove " + path + " and start again");
  }
}

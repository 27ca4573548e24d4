package fleet.tower.access.file;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import fleet.tower.platform.disk.OwnerOnly;

/**
 * Room on the disk for one more {@code tokens.yaml}, kept as a file beside it, so that a token can be revoked while the disk is
 * full. The new text is written over what the reserve holds, which needs no new block, and the reserve gets the name of the tokens'
 * file. The file that had it before is the next reserve: what it occupies is given to nobody in between.
 */
final class TokensReserve {
  private static final int SMALLEST = 64 * 1024;

  private final Path tokens;
  private final Path reserve;

  /** @param tokens the file of the tokens */
  TokensReserve(Path tokens) {
    this.tokens = requireNonNull(tokens);
    this.reserve = tokens.resolveSibling(".tokens.reserve");
  }

  /** Makes the reserve, or a larger one, if there is room; behind the guard, as every change is. It is for a bad day only, so nothing is told where it cannot be made. */
  void keep() {
    try {
      if (!Files.isRegularFile(tokens, LinkOption.NOFOLLOW_LINKS) || isLargeEnough()) {
        return;
      }
      try (FileChannel out = FileChannel.open(reserve, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS), OwnerOnly.FILE)) {
        write(out, ByteBuffer.allocate((int) Math.max(SMALLEST, 2 * Files.size(tokens))));
      }
      Files.setAttribute(reserve, "unix:uid", Files.getAttribute(tokens, "unix:uid"));
    } catch (IOException noRoom) {
      // Then there is none until the next change, or the next start of the service.
    }
  }

  private boolean isLargeEnough() throws IOException {
    return Files.isRegularFile(reserve, LinkOption.NOFOLLOW_LINKS) && Files.size(reserve) >= Files.size(tokens);
  }

  /** Whether there is one that a text of some length can be written over. */
  boolean has(int bytes) throws IOException {
    return Files.isRegularFile(reserve, LinkOption.NOFOLLOW_LINKS) && Files.size(reserve) >= bytes;
  }

  /** Something that is done to the new file before it gets its name. */
  interface Finish {
    void finish(Path fresh) throws IOException;
  }

  /** Makes the reserve the tokens' file, with this text. Whoever is killed meanwhile leaves the old file, or the new one. */
  void become(String text, Finish finish) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (FileChannel out = FileChannel.open(reserve, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      write(out, ByteBuffer.wrap(bytes));
      out.truncate(bytes.length);
      out.force(true);
    }
    // It may have been the tokens' file once, when that was open to a group.
    Files.setPosixFilePermissions(reserve, PosixFilePermissions.fromString("rw-------"));
    finish.finish(reserve);
    Path next = reserve.resolveSibling(".tokens.reserve.new");
    Files.createLink(next, tokens);
    Files.move(reserve, tokens, StandardCopyOption.ATOMIC_MOVE);
    Files.move(next, reserve, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void write(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
    out.force(true);
  }
}

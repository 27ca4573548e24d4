package fleet.tower.access.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;

/**
 * Disk space for one more {@code tokens.yaml}, reserved by a file next to it, so that a token can be revoked on a full
 * disk. The new text overwrites the reserve, which needs no new block, and the reserve takes the name of the tokens'
 * file. The previous file becomes the next reserve, so its space is never free in between.
 */
final class TokensReserve {
  private static final int SMALLEST = 64 * 1024;

  private final Path tokens;
  private final Path reserve;

  TokensReserve(Path tokens) {
    this.tokens = tokens;
    this.reserve = tokens.resolveSibling(".tokens.reserve");
  }

  /**
   * Creates or enlarges the reserve if there is space; under the guard, like every change. A failure is not reported,
   * since the reserve is only a precaution.
   */
  void keep() {
    try {
      if (!Files.isRegularFile(tokens, LinkOption.NOFOLLOW_LINKS) || isLargeEnough()) {
        return;
      }
      try (FileChannel out = WrittenFile.open(reserve, Also.CREATE)) {
        write(out, ByteBuffer.allocate((int) Math.max(SMALLEST, 2 * Files.size(tokens))));
      }
      Files.setAttribute(reserve, "unix:uid", Files.getAttribute(tokens, "unix:uid"));
    } catch (IOException noRoom) {
      // The next change, or the next start of the service, tries again.
    }
  }

  private boolean isLargeEnough() throws IOException {
    return Files.isRegularFile(reserve, LinkOption.NOFOLLOW_LINKS) && Files.size(reserve) >= Files.size(tokens);
  }

  /** Whether there is a reserve that can hold a text of this size. */
  boolean has(int bytes) throws IOException {
    return Files.isRegularFile(reserve, LinkOption.NOFOLLOW_LINKS) && Files.size(reserve) >= bytes;
  }

  /** Work on the new file before it gets its name. */
  interface Finish {
    void finish(Path fresh) throws IOException;
  }

  /** Makes the reserve the tokens' file, with this text. A crash leaves either the old file or the new one. */
  void become(String text, Finish finish) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (FileChannel out = WrittenFile.open(reserve)) {
      write(out, ByteBuffer.wrap(bytes));
      out.truncate(bytes.length);
      out.force(true);
    }
    // The reserve may have been a tokens' file that a group could read.
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

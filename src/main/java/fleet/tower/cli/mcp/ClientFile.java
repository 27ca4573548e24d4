package fleet.tower.cli.mcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import fleet.tower.platform.disk.WrittenFile;

/** A configuration file of a client. Writing replaces the complete file, so that no reader sees only a part of it. */
record ClientFile(Path path) {

  /** Its text; empty if it does not exist. */
  String read() throws UnreadableConfiguration {
    try {
      return Files.exists(path)
          ? StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(path))).toString()
          : "";
    } catch (CharacterCodingException e) {
      throw new UnreadableConfiguration("it is not valid UTF-8");
    } catch (IOException e) {
      throw new UnreadableConfiguration("it cannot be read: " + e);
    }
  }

  /** Replaces the text. A symbolic link stays, and so do the permissions. */
  void write(String text) {
    try {
      Path file = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
      Path directory = Files.createDirectories(file.getParent());
      Path fresh = directory.resolve("." + file.getFileName() + ".tower-" + ProcessHandle.current().pid());
      try {
        writeDurably(fresh, text);
        if (Files.exists(file)) {
          Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(file));
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be written; it is unchanged: " + e, e);
    }
  }

  private static void writeDurably(Path file, String text) throws IOException {
    try (FileChannel out = WrittenFile.create(file)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
  }
}

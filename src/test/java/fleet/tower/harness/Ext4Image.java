package fleet.tower.harness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/**
 * An ext4 file system in a file, mounted through a loop device. A copy of the file, taken while it is mounted, is what
 * a power cut would leave at that moment: the kernel's cache is not in it.
 */
public final class Ext4Image implements AutoCloseable {
  private final Path image;
  private final Path mount;

  private Ext4Image(Path image, Path mount) {
    this.image = image;
    this.mount = mount;
  }

  /** Whether this process may mount one. */
  public static boolean isPossible(Path directory) {
    try (Ext4Image image = create(directory.resolve("possible"), 8)) {
      return Files.isDirectory(image.directory());
    } catch (IOException e) {
      return false;
    }
  }

  /** A new file system; the kernel writes to it only when it is told to, for minutes. */
  public static Ext4Image create(Path path, int mebibytes) throws IOException {
    Path image = path.resolveSibling(path.getFileName() + ".ext4");
    Files.write(image, new byte[0]);
    try (var file = Files.newByteChannel(image, StandardOpenOption.WRITE)) {
      file.position(((long) mebibytes << 20) - 1).write(ByteBuffer.wrap(new byte[1]));
    }
    run("mkfs.ext4", "-q", "-F", "-b", "1024", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0",
        image.toString());
    return mount(image, path);
  }

  private static Ext4Image mount(Path image, Path path) throws IOException {
    run("mount", "-t", "ext4", "-o", "loop,commit=300", image.toString(), Files.createDirectories(path).toString());
    return new Ext4Image(image, path);
  }

  /** Its root. */
  public Path directory() {
    return mount;
  }

  /** The bytes on its disk now. Read until two readings agree, so that they are of one moment. */
  public byte[] cut() throws IOException {
    byte[] disk = Files.readAllBytes(image);
    for (byte[] again = Files.readAllBytes(image); !Arrays.equals(disk, again); again = Files.readAllBytes(image)) {
      disk = again;
    }
    return disk;
  }

  /** Mounts what was on a disk. */
  public static Ext4Image of(byte[] disk, Path path) throws IOException {
    return mount(Files.write(path.resolveSibling(path.getFileName() + ".ext4"), disk), path);
  }

  /** Lazily: a journal that was replaced stays open until the garbage collector closes it. */
  @Override
  public void close() throws IOException {
    run("umount", "--lazy", mount.toString());
    Files.delete(image);
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    int code = Await.exitOf(process);
    if (code != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + code);
    }
  }
}

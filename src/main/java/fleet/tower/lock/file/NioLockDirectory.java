package fleet.tower.lock.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.AppendedFile;
import fleet.tower.platform.disk.InterruptShield;
import fleet.tower.platform.disk.NameExchange;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.SharedSync;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;

/**
 * A lock directory on the real file system.
 *
 * <p>An interrupt closes a {@code FileChannel} while it is in use, and callers may be interrupted at any time. So each
 * call that uses a channel is repeatable, and is repeated after an interrupt.
 */
final class NioLockDirectory implements LockDirectory {
  /** The file type bits of a mode, and their value for a regular file. */
  private static final int FILE_KIND = 0170000;
  private static final int REGULAR_FILE = 0100000;
  private static final int OWNER_ONLY = 0600;

  static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final Path path;
  private final DirectoryGuard guard;
  private final Kernel kernel;
  private final SharedSync names;

  NioLockDirectory(Path path, DirectoryGuard guard) {
    this(path, guard, new Kernel() {});
  }

  NioLockDirectory(Path path, DirectoryGuard guard, Kernel kernel) {
    this.path = path;
    this.guard = guard;
    this.kernel = kernel;
    this.names = new SharedSync(() -> kernel.names(path));
  }

  /** The system calls that a test observes or replaces: syncs, and the exchange of names. */
  interface Kernel {
    /** Syncs the content of a file. */
    default void content(Path file, FileChannel channel) throws IOException {
      channel.force(false);
    }

    /** Syncs the names in a directory. */
    default void names(Path directory) throws IOException {
      OwnerOnly.sync(directory);
    }

    /** Swaps the names of two files. */
    default NameExchange.Outcome exchange(Path file, Path other) throws IOException {
      return NameExchange.of(file, other);
    }
  }

  @Override
  public void requireUnmoved() {
    guard.requireUnmoved();
  }

  @Override
  public boolean exists() {
    if (guard.exists()) {
      return true;
    }
    requireDirectory();
    return false;
  }

  @Override
  public Guard enter(long slot) throws IOException {
    return guard.enter(slot);
  }

  @Override
  public byte @Nullable [] read(String file) throws IOException {
    Path target = path.resolve(file);
    return InterruptShield.call(() -> {
      try {
        requireFit(target);
        return readAll(target);
      } catch (NoSuchFileException absent) {
        requireDirectory();
        return null;
      }
    });
  }

  @Override
  public @Nullable Instant modified(String file) throws IOException {
    try {
      return Files.getLastModifiedTime(path.resolve(file), LinkOption.NOFOLLOW_LINKS).toInstant();
    } catch (NoSuchFileException absent) {
      return null;
    }
  }

  @Override
  public boolean has(String file) throws IOException {
    try {
      Files.readAttributes(path.resolve(file), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return true;
    } catch (NoSuchFileException absent) {
      return false;
    }
  }

  @Override
  public void create(String file, byte[] content, boolean durable) throws IOException {
    Path target = path.resolve(file);
    InterruptShield.call(() -> {
      try (FileChannel channel = openNew(target)) {
        writeAll(channel, content);
        if (durable) {
          kernel.content(target, channel);
        }
      } catch (IOException e) {
        Files.deleteIfExists(target);
        throw e;
      }
      return null;
    });
  }

  @Override
  public void patch(String file, Patch patch) throws IOException {
    Path target = path.resolve(file);
    InterruptShield.call(() -> {
      try (FileChannel channel = WrittenFile.open(target, Also.CREATE, Also.READ)) {
        ByteBuffer current = ByteBuffer.allocate((int) Math.min(channel.size(), MAX_FILE_BYTES));
        while (current.hasRemaining() && channel.read(current) >= 0) {
          // Read to the end.
        }
        Piece piece = patch.of(current.array());
        channel.position(piece.position());
        writeAll(channel, piece.bytes());
      }
      return null;
    });
  }

  @Override
  public void overwrite(String file, byte[] content) throws IOException {
    if (!overwriteInPlace(path.resolve(file), content)) {
      create(file, content, false);
    }
  }

  private static boolean overwriteInPlace(Path target, byte[] content) throws IOException {
    return InterruptShield.call(() -> {
      try {
        Map<String, Object> attributes = Files.readAttributes(target, "unix:mode,nlink,size",
            LinkOption.NOFOLLOW_LINKS);
        if (!attributes.equals(Map.of("mode", REGULAR_FILE | OWNER_ONLY, "nlink", 1, "size", (long) content.length))) {
          return false;
        }
        try (FileChannel channel = WrittenFile.open(target)) {
          writeAll(channel, content);
          return true;
        }
      } catch (NoSuchFileException absent) {
        return false;
      }
    });
  }

  @Override
  public void link(String file, String newName) throws IOException {
    Files.createLink(path.resolve(newName), path.resolve(file));
  }

  @Override
  public void rename(String file, String newName) throws IOException {
    Files.move(path.resolve(file), path.resolve(newName), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public boolean exchange(String file, String other) throws IOException {
    Path first = path.resolve(file);
    Path second = path.resolve(other);
    return switch (kernel.exchange(first, second)) {
      case DONE -> true;
      case ABSENT -> false;
      case UNSUPPORTED -> exchangeInSteps(first, second, path.resolve(FileNames.exchangeTemp(other)));
    };
  }

  /** For file systems without an exchange. What a program without the guard does to the second name may be lost. */
  private static boolean exchangeInSteps(Path first, Path second, Path temp) throws IOException {
    Files.deleteIfExists(temp);
    try {
      Files.createLink(temp, second);
    } catch (NoSuchFileException absent) {
      return false;
    }
    try {
      Files.move(first, second, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException absent) {
      Files.delete(temp);
      return false;
    }
    Files.move(temp, first, StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  @Override
  public void unlink(String file) throws IOException {
    Files.delete(path.resolve(file));
  }

  @Override
  public void sync() throws IOException {
    names.await();
  }

  /**
   * The device distinguishes the disk from a copy of it that is mounted on the same boot. If the boot is unknown, every
   * process restores, which changes nothing unless another program has changed a lock file.
   */
  @Override
  public @Nullable String origin() throws IOException {
    try {
      return Files.readString(BOOT_ID).strip() + "/" + Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException | AccessDeniedException unknown) {
      return null;
    }
  }

  @Override
  public byte @Nullable [] read(String file, long from, int most) throws IOException {
    Path target = path.resolve(file);
    return InterruptShield.call(() -> {
      try (FileChannel channel = FileChannel.open(target, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.clamp(channel.size() - from, 0, most));
        channel.position(from);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
          // Read to the end.
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
      } catch (NoSuchFileException absent) {
        return null;
      } catch (FileSystemException | ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        throw new FileSystemException(target.toString(), null, e.getMessage());
      }
    });
  }

  @Override
  public Log open(String file) throws IOException {
    Path target = path.resolve(file);
    return new AppendedFile(target, channel -> kernel.content(target, channel));
  }

  @Override
  public boolean leadsTo(String file, Log log) throws IOException {
    return log instanceof AppendedFile appended && appended.isAt(path.resolve(file));
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (NoSuchFileException absent) {
      return List.of();
    }
  }

  @Override
  public String digest(String file) throws IOException {
    Path target = path.resolve(file);
    return InterruptShield.call(() -> {
      MessageDigest digest = PreviousLock.sha256();
      if (Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
        try (InputStream in = Files.newInputStream(target, LinkOption.NOFOLLOW_LINKS);
            OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
          in.transferTo(out);
        }
      }
      return PreviousLock.of(null, digest).hash();
    });
  }

  @Override
  public String pathOf(String file) {
    return path.resolve(file).toString();
  }

  @Override
  public void close() {
    guard.close();
  }

  /** Java reports a path below a regular file as nonexistent; a lock that cannot exist there must not count as free. */
  private void requireDirectory() {
    if (Files.isDirectory(path)) {
      return;
    }
    Path existing = path;
    while (existing.getParent() != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing)) {
      Finding finding = DirectoryCheck.notADirectory(existing);
      throw new StorageException(finding.message() + "; " + finding.remedy());
    }
  }

  /** Checks before opening, because opening a pipe blocks until its other end opens. */
  private void requireFit(Path target) throws IOException {
    Map<String, Object> attributes = Files.readAttributes(target, "unix:mode,uid,size", LinkOption.NOFOLLOW_LINKS);
    if (!(attributes.get("mode") instanceof Integer mode) || (mode & FILE_KIND) != REGULAR_FILE) {
      throw new UnfitFile(kind(target) + ", not a regular file");
    }
    if (attributes.get("size") instanceof Long size && size > MAX_FILE_BYTES) {
      throw new UnfitFile(size + " bytes long; the limit is " + MAX_FILE_BYTES);
    }
    Object owner = attributes.get("uid");
    if (owner != null && !owner.equals(guard.directoryOwner())) {
      throw new UnfitFile("owned by user " + owner + ", not by the owner of the directory");
    }
  }

  private static String kind(Path target) {
    if (Files.isSymbolicLink(target)) {
      return "a symbolic link";
    }
    return Files.isDirectory(target) ? "a directory" : "a pipe or device";
  }

  private static byte[] readAll(Path target) throws IOException {
    try (FileChannel channel = FileChannel.open(target, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer buffer = ByteBuffer.allocate(4096);
      while (channel.read(buffer) >= 0 && !buffer.hasRemaining() && buffer.position() <= MAX_FILE_BYTES) {
        buffer = ByteBuffer.allocate(buffer.capacity() * 2).put(buffer.flip());
      }
      return Arrays.copyOf(buffer.array(), buffer.position());
    }
  }

  private static FileChannel openNew(Path target) throws IOException {
    try {
      return WrittenFile.create(target, OwnerOnly.FILE);
    } catch (FileAlreadyExistsException leftover) {
      Files.delete(target);
      return WrittenFile.create(target, OwnerOnly.FILE);
    }
  }

  private static void writeAll(FileChannel channel, byte[] content) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(content);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }
}

package fleet.tower.run.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.Uninterrupted;
import fleet.tower.platform.presence.Presence;
import fleet.tower.run.OutsideBeats;

/**
 * A file for each run that takes beats, named for the run and the process that executes it. A write to it is a beat; what is
 * written does not matter. The file is there as long as the run is at work; that of an executor that died counts no more, and is
 * removed by whoever comes across it.
 */
final class BeatDirectory implements OutsideBeats {
  private static final Pattern NAME = Pattern.compile("(.+)\\.([0-9a-f]{24})");
  private static final Set<OpenOption> TO_MAKE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE,
      LinkOption.NOFOLLOW_LINKS);
  /** Longer by a byte each time: times of files are not so fine that no two beats have the same. */
  private static final Set<OpenOption> TO_BEAT = Set.of(StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);

  private final Path directory;
  private final Presence presence;
  private boolean isSwept;

  BeatDirectory(Path directory, Presence presence) {
    this.directory = directory;
    this.presence = presence;
  }

  @Override
  public Taking take(RequestId run) {
    try {
      sweepOnce();
      BeatFile file = new BeatFile(directory.resolve(run.value() + "." + presence.id()));
      make(file.path);
      file.look();
      return file;
    } catch (IOException e) {
      throw new StorageException("no file for beats can be made in " + directory + ": " + Errno.describeWithFile(e), e);
    } catch (UncheckedIOException e) {
      throw new StorageException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public boolean leave(RequestId run) {
    try {
      for (Path file : files()) {
        Optional<Matcher> name = name(file).filter(it -> it.group(1).equals(run.value()));
        if (name.isPresent() && isTaken(file, name.get()) && write(file)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new StorageException("no beat can be left in " + directory + ": " + Errno.describeWithFile(e), e);
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (NoSuchFileException nobodyTakesAny) {
      return List.of();
    }
  }

  private static Optional<Matcher> name(Path file) {
    return Optional.of(NAME.matcher(file.getFileName().toString())).filter(Matcher::matches);
  }

  private boolean isTaken(Path file, Matcher name) throws IOException {
    if (presence.isAlive(name.group(2))) {
      return true;
    }
    Files.deleteIfExists(file);
    return false;
  }

  private static boolean write(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    return Uninterrupted.call(() -> {
      try (FileChannel channel = FileChannel.open(file, TO_BEAT)) {
        return channel.write(ByteBuffer.wrap(new byte[]{'\n'})) == 1;
      } catch (NoSuchFileException overMeanwhile) {
        return false;
      }
    });
  }

  private void make(Path file) throws IOException {
    OwnerOnly.makeDirectories(directory);
    FileChannel.open(file, TO_MAKE, OwnerOnly.FILE).close();
  }

  /** What the runs of dead executors have left is removed with the first run of this process. */
  private synchronized void sweepOnce() throws IOException {
    if (isSwept) {
      return;
    }
    isSwept = true;
    for (Path file : files()) {
      Optional<Matcher> name = name(file);
      if (name.isPresent()) {
        boolean _ = isTaken(file, name.get());
      }
    }
  }

  /** The file of one run. It is known by its state, for no clock needs to be asked then. */
  private static final class BeatFile implements Taking {
    private final Path path;
    private @Nullable State seen;

    BeatFile(Path path) {
      this.path = path;
    }

    /** What any write changes. */
    private record State(@Nullable Object file, long modifiedNanos, long size) {}

    @Override
    public String path() {
      return path.toString();
    }

    @Override
    public boolean hasCome() {
      State before = seen;
      look();
      return seen != null && !seen.equals(before);
    }

    /** A file that cannot be seen has no beat in it. Whoever makes it anew changes it. */
    private void look() {
      try {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        seen = new State(now.fileKey(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS), now.size());
      } catch (IOException unseen) {
        // Somebody has removed it; the run has its output and its steps to beat by.
      }
    }

    @Override
    public void close() {
      try {
        Files.deleteIfExists(path);
      } catch (IOException leftBehind) {
        // It counts no more when this process has ended.
      }
    }
  }
}

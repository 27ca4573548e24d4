package fleet.tower.run.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.Presence;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.InterruptShield;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.run.OutsideBeats;

/**
 * Heartbeats as writes to one file per run, named after the run and its executor. Any write is a heartbeat, whatever
 * its content. The file exists as long as the run is executed; the file of a dead executor is ignored, and removed by
 * the next process that finds it.
 */
final class BeatDirectory implements OutsideBeats {
  private static final Pattern NAME = Pattern.compile("(.+)\\.([0-9a-f]{24})");

  private final Path directory;
  private final Presence presence;
  private boolean isSwept;

  BeatDirectory(Path directory, Presence presence) {
    this.directory = directory;
    this.presence = presence;
  }

  @Override
  public Receiver receive(RequestId run) {
    try {
      sweepOnce();
      BeatFile file = new BeatFile(directory.resolve(run.value() + "." + presence.id()));
      make(file.path);
      file.look();
      return file;
    } catch (IOException e) {
      throw new StorageException("no heartbeat file can be created in " + directory + ": " + Errno.describeWithFile(e),
          e);
    } catch (UncheckedIOException e) {
      throw new StorageException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public boolean send(RequestId run) {
    try {
      for (Path file : files()) {
        Optional<Matcher> name = name(file).filter(it -> it.group(1).equals(run.value()));
        if (name.isPresent() && isReceived(file, name.get()) && write(file)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new StorageException("no heartbeat can be sent in " + directory + ": " + Errno.describeWithFile(e), e);
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (NoSuchFileException noReceiver) {
      return List.of();
    }
  }

  private static Optional<Matcher> name(Path file) {
    return Optional.of(NAME.matcher(file.getFileName().toString())).filter(Matcher::matches);
  }

  private boolean isReceived(Path file, Matcher name) throws IOException {
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
    return InterruptShield.call(() -> {
      // A byte each time, because two heartbeats may have the same file time.
      try (FileChannel channel = WrittenFile.open(file, Also.APPEND)) {
        return channel.write(ByteBuffer.wrap(new byte[]{'\n'})) == 1;
      } catch (NoSuchFileException hasEnded) {
        return false;
      }
    });
  }

  private void make(Path file) throws IOException {
    OwnerOnly.makeDirectories(directory);
    WrittenFile.open(file, Also.CREATE).close();
  }

  /** Removes the files of dead executors, before the first run of this process. */
  private synchronized void sweepOnce() throws IOException {
    if (isSwept) {
      return;
    }
    isSwept = true;
    for (Path file : files()) {
      Optional<Matcher> name = name(file);
      if (name.isPresent()) {
        boolean _ = isReceived(file, name.get());
      }
    }
  }

  /** The file of one run. A change of its state is a heartbeat, so that no clock is needed. */
  private static final class BeatFile implements Receiver {
    private final Path path;
    private @Nullable State seen;

    BeatFile(Path path) {
      this.path = path;
    }

    /** The attributes that any write changes. */
    private record State(@Nullable Object file, long modifiedNanos, long size) {}

    @Override
    public String path() {
      return path.toString();
    }

    @Override
    public boolean hasArrived() {
      State before = seen;
      look();
      return seen != null && !seen.equals(before);
    }

    /** Reads the state; if the file cannot be read, the state stays as it was, and a new file has another one. */
    private void look() {
      try {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        seen = new State(now.fileKey(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS), now.size());
      } catch (IOException unseen) {
        // The file was removed; the run proves progress by its output and its steps.
      }
    }

    @Override
    public void close() {
      try {
        Files.deleteIfExists(path);
      } catch (IOException leftBehind) {
        // The file is ignored once this process has ended.
      }
    }
  }
}

package fleet.tower.run.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.run.RunOutputs;

/** The directories with the logs of steps. Links out of them are not followed. */
record OutputDirectories(Path logs) implements RunOutputs {

  @Override
  public List<RequestId> untouchedSince(Instant moment) {
    try (Stream<Path> directories = Files.list(logs)) {
      List<RequestId> untouched = new ArrayList<>();
      for (Path directory : directories.sorted().toList()) {
        String name = directory.getFileName().toString();
        if (HostProcesses.isSafe(name) && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
            && lastTouched(directory).isBefore(moment)) {
          untouched.add(new RequestId(name));
        }
      }
      return untouched;
    } catch (NoSuchFileException nothingYet) {
      return List.of();
    } catch (IOException e) {
      throw new StorageException("the output of runs in " + logs + " cannot be listed: " + Errno.describe(e), e);
    }
  }

  private static Instant lastTouched(Path directory) throws IOException {
    Instant last = Instant.MIN;
    for (Path path : within(directory)) {
      Instant touched = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant();
      last = touched.isAfter(last) ? touched : last;
    }
    return last;
  }

  @Override
  public long size(RequestId requestId) {
    Path directory = logs.resolve(HostProcesses.safe(requestId.value()));
    try (Stream<Path> files = Files.list(directory)) {
      long size = 0;
      for (Path file : files.filter(it -> it.toString().endsWith(StepLog.SUFFIX)).toList()) {
        size += StepLog.size(file);
      }
      return size;
    } catch (NoSuchFileException nothing) {
      return 0;
    } catch (IOException e) {
      throw new StorageException("the output in " + directory + " cannot be read: " + Errno.describe(e), e);
    }
  }

  @Override
  public void remove(RequestId requestId) {
    Path directory = logs.resolve(HostProcesses.safe(requestId.value()));
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      for (Path path : within(directory)) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new StorageException("the output in " + directory + " cannot be removed: " + Errno.describe(e), e);
    }
  }

  /** All paths in a directory, the deepest first, the directory itself last. */
  private static List<Path> within(Path directory) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths.sorted(Comparator.reverseOrder()).toList();
    }
  }
}

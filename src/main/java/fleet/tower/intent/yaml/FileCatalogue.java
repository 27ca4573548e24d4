package fleet.tower.intent.yaml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.disk.Errno;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.time.TimeSource;

/**
 * The intents of a directory. Whoever asks looks at the directory, if nobody has for a while; one thread looks at a time, and
 * the others take what was known before instead of waiting for a slow disk. Only a file whose stamp has changed is read.
 *
 * <p>An editor may empty a file before it writes it, and half a file can look whole. So a file that was good is read again only
 * when it has been quiet: not written to lately, or the same at two looks.
 */
final class FileCatalogue implements Catalogue {
  private static final long LOOK_NANOS = Duration.ofMillis(400).toNanos();
  private static final long QUIET_MILLIS = 250;
  private static final long FRESH_MILLIS = 50;
  private static final int MAX_FILES = 1000;

  private final Path directory;
  private final TimeSource time;
  private final ReentrantLock looking = new ReentrantLock();
  private @Nullable Schema schema;
  private volatile @Nullable View view;

  FileCatalogue(Path directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
  }

  /** What one reading of a file gave: an intent, or why there is none. */
  record Loaded(@Nullable Intent intent, List<Complaint> complaints) {}

  /**
   * A file as it was at the last look.
   *
   * @param taken the stamp that it was read with
   * @param seen the stamp at the last look
   * @param good the last version that was one
   */
  private record Known(SourceFile.@Nullable Stamp taken, SourceFile.@Nullable Stamp seen, @Nullable Intent good,
      List<Complaint> complaints) {}

  /** Everything that is known at one moment; never changed, only replaced. */
  private record View(long lookedNanos, Map<Path, Known> files, SortedMap<String, Intent> intents,
      List<Complaint> complaints) {}

  @Override
  public Optional<Intent> find(String name) {
    return Optional.ofNullable(view().intents().get(name));
  }

  @Override
  public List<Intent> list() {
    return List.copyOf(view().intents().values());
  }

  @Override
  public List<Complaint> complaints() {
    return view().complaints();
  }

  private View view() {
    View known = view;
    if (known != null && (time.nanos() - known.lookedNanos() < LOOK_NANOS || !looking.tryLock())) {
      return known;
    }
    if (known == null) {
      looking.lock();
    }
    try {
      View now = view;
      if (now == null || time.nanos() - now.lookedNanos() >= LOOK_NANOS) {
        now = look(now == null ? Map.of() : now.files());
        view = now;
      }
      return now;
    } finally {
      looking.unlock();
    }
  }

  private View look(Map<Path, Known> before) {
    List<Complaint> complaints = new ArrayList<>();
    Map<Path, Known> files = new TreeMap<>();
    try {
      List<Path> paths = paths();
      for (Path file : paths.subList(0, Math.min(MAX_FILES, paths.size()))) {
        files.put(file, now(file, before.get(file)));
      }
      if (paths.size() > MAX_FILES) {
        complaints.add(new Complaint(directory.toString(), 1, 1, true, null, "has " + paths.size()
            + " intents, and only the first " + MAX_FILES + " in the order of their names are read; take some away"));
      }
    } catch (IOException e) {
      files.putAll(before);
      complaints.add(new Complaint(directory.toString(), 1, 1, true, null, "cannot be read: " + Errno.describe(e)));
    }
    SortedMap<String, Intent> intents = new TreeMap<>();
    files.values().forEach(file -> {
      complaints.addAll(file.complaints());
      if (file.good() != null) {
        intents.put(file.good().name(), file.good());
      }
    });
    return new View(time.nanos(), files, intents, List.copyOf(complaints));
  }

  /** Hidden files are what editors leave about; of the others those that look like intents are read or complained of. */
  private List<Path> paths() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> isIntent(file.getFileName().toString())).sorted().toList();
    } catch (NoSuchFileException none) {
      return List.of();
    } catch (NotDirectoryException e) {
      throw e;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static boolean isIntent(String name) {
    return !name.startsWith(".") && (name.endsWith(SourceFile.SUFFIX) || name.endsWith(".yml"));
  }

  private Known now(Path path, @Nullable Known before) {
    SourceFile file = new SourceFile(path);
    SourceFile.Stamp stamp = stamp(file);
    if (before != null && stamp != null && stamp.equals(before.taken())) {
      return before;
    }
    Intent good = before == null ? null : before.good();
    if (good != null && before != null && !isQuiet(stamp, before)) {
      return new Known(before.taken(), stamp, good, before.complaints());
    }
    Loaded loaded = load(file, schema());
    SourceFile.Stamp after = stamp(file);
    boolean isWhole = stamp != null && stamp.equals(after);
    Intent read = isWhole || good == null ? loaded.intent() : null;
    return new Known(isWhole && stamp != null && !isFresh(stamp) ? stamp : null, after, read == null ? good : read,
        loaded.complaints());
  }

  private boolean isQuiet(SourceFile.@Nullable Stamp stamp, Known before) {
    if (stamp == null || stamp.equals(before.seen())) {
      return true;
    }
    return time.now().toEpochMilli() - stamp.modifiedMillis() >= QUIET_MILLIS;
  }

  /** Written so lately that the file system may give the next writing the same time. */
  private boolean isFresh(SourceFile.Stamp stamp) {
    long age = time.now().toEpochMilli() - stamp.modifiedMillis();
    return age >= 0 && age < FRESH_MILLIS;
  }

  private static SourceFile.@Nullable Stamp stamp(SourceFile file) {
    try {
      return file.stamp();
    } catch (IOException unreadable) {
      return null;
    }
  }

  private Schema schema() {
    if (schema == null) {
      schema = Schema.ofIntents();
    }
    return schema;
  }

  static Loaded load(SourceFile file, Schema schema) {
    Complaints complaints = new Complaints(file.path().toString(), file.intent());
    Intent intent = file.read(complaints).flatMap(text -> IntentReader.read(text, file.intent(), schema, complaints))
        .orElse(null);
    return new Loaded(intent, complaints.all());
  }
}

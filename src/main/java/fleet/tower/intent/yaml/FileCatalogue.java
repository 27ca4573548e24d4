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
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.WriteAccess;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Known;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Schema;
import fleet.tower.platform.yaml.SourceFile;

/**
 * The intents of a directory. Whoever asks looks at the directory, if nobody has for a while; one thread looks at a time, and
 * the others take what was known before instead of waiting for a slow disk. What it knows of each file is {@link Known}.
 */
final class FileCatalogue implements Catalogue {
  private static final Duration FRESH = Duration.ofMillis(400);
  private static final int MAX_FILES = 1000;

  private final Path directory;
  private final TimeSource time;
  private final boolean othersMayWrite;
  private final CachedValue<View> glance;
  private @Nullable Schema schema;

  FileCatalogue(IntentFiles files) {
    this.directory = files.directory();
    this.time = files.time();
    this.othersMayWrite = files.othersMayWrite();
    this.glance = new CachedValue<>(FRESH, this::look, time);
  }

  /** Everything that is known at one moment; never changed, only replaced. */
  private record View(Map<Path, Known<Intent>> files, SortedMap<String, Intent> intents,
      List<Complaint> complaints) {}

  @Override
  public Optional<Intent> find(String name) {
    return Optional.ofNullable(glance.see().intents().get(name));
  }

  @Override
  public List<Intent> list() {
    return List.copyOf(glance.see().intents().values());
  }

  @Override
  public List<Complaint> complaints() {
    return glance.see().complaints();
  }

  private View look(@Nullable View last) {
    Map<Path, Known<Intent>> before = last == null ? Map.of() : last.files();
    List<Complaint> complaints = new ArrayList<>();
    Map<Path, Known<Intent>> files = new TreeMap<>();
    try {
      requireOurs();
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
    } catch (Unprotected e) {
      files.putAll(before);
      complaints.add(new Complaint(directory.toString(), 1, 1, true, null, "is not read: " + e.getMessage()));
    }
    SortedMap<String, Intent> intents = new TreeMap<>();
    files.forEach((path, file) -> {
      file.complaints().forEach(complaint -> complaints.add(told(path, complaint)));
      if (file.good() != null) {
        intents.put(file.good().name(), file.good());
      }
    });
    return new View(files, intents, List.copyOf(complaints));
  }

  /** Others can change the intents, and so run commands as this user. */
  private static final class Unprotected extends Exception {
    private static final long serialVersionUID = 1;

    Unprotected(WriteAccess.Problem problem) {
      super(problem.toString());
    }
  }

  private void requireOurs() throws Unprotected {
    Optional<WriteAccess.Problem> problem = othersMayWrite ? Optional.empty() : WriteAccess.problem(directory);
    if (problem.isPresent()) {
      throw new Unprotected(problem.get());
    }
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
    return !name.startsWith(".") && (name.endsWith(IntentFiles.SUFFIX) || name.endsWith(".yml"));
  }

  private Known<Intent> now(Path path, @Nullable Known<Intent> before) {
    return Known.look(new SourceFile(path, IntentFiles.FORM), before, time.now(), () -> loadOurs(path));
  }

  private Known.Loaded<Intent> loadOurs(Path path) {
    Optional<WriteAccess.Problem> problem = othersMayWrite ? Optional.empty() : WriteAccess.problem(path);
    if (problem.isEmpty()) {
      return load(path, schema());
    }
    Complaints complaints = new Complaints(path.toString());
    complaints.error(Node.Place.START, "is not read: " + problem.get());
    return new Known.Loaded<>(null, complaints.all());
  }

  private Schema schema() {
    if (schema == null) {
      schema = IntentFiles.schema();
    }
    return schema;
  }

  static Known.Loaded<Intent> load(Path path, Schema schema) {
    Complaints complaints = new Complaints(path.toString());
    if (!path.getFileName().toString().endsWith(IntentFiles.SUFFIX)) {
      complaints.error(Node.Place.START, "an intent's file ends in " + IntentFiles.SUFFIX + "; rename it");
      return new Known.Loaded<>(null, complaints.all());
    }
    Intent intent = new SourceFile(path, IntentFiles.FORM).read(complaints)
        .flatMap(text -> IntentReader.read(text, nameIn(path), schema, complaints)).orElse(null);
    return new Known.Loaded<>(intent, complaints.all());
  }

  /** A complaint about a file as the catalogue tells it. */
  static Complaint told(Path path, fleet.tower.platform.yaml.Complaint complaint) {
    return new Complaint(complaint.file(), complaint.place().line(), complaint.place().column(), complaint.isError(),
        nameIn(path), complaint.message());
  }

  /** The intent that a file must hold. */
  private static String nameIn(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(IntentFiles.SUFFIX) ? name.substring(0, name.length() - IntentFiles.SUFFIX.length()) : name;
  }
}

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.WriteAccess;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.LoadedFile;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * The intents in a directory. A query rereads the directory if the cached view is older than {@link #FRESH}; one
 * thread reads at a time, and the others use the cached view instead of waiting for a slow disk. An intent whose file
 * is newer than the view is found at once. The state of each file is a {@link LoadedFile}.
 */
final class FileCatalogue implements Catalogue {
  private static final Duration FRESH = Duration.ofMillis(400);
  private static final int MAX_FILES = 1000;

  private final Path directory;
  private final TimeSource time;
  private final boolean othersMayWrite;
  private final Path home;
  private final StepFiles stepFiles;
  private final CachedValue<View> view;
  private final Map<Path, Parsed> parsed = new ConcurrentHashMap<>();
  private @Nullable YamlSchema schema;

  FileCatalogue(IntentFiles files) {
    this.directory = files.directory();
    this.time = files.time();
    this.othersMayWrite = files.othersMayWrite();
    this.home = files.home();
    this.stepFiles = new StepFiles(home);
    this.view = new CachedValue<>(FRESH, this::read, time);
  }

  /** An immutable snapshot of the directory. */
  private record View(Map<Path, LoadedFile<Intent>> files, SortedMap<String, Intent> intents,
      List<Complaint> complaints) {}

  /** A text, and the intent that it declares. */
  private record Parsed(String text, Intent intent) {}

  private interface Parser {
    Optional<Intent> parse(String text, Complaints complaints);
  }

  @Override
  public Optional<Intent> find(String name) {
    Intent known = view.get().intents().get(name);
    if (known == null && hasFile(name)) {
      return Optional.ofNullable(view.renewed().intents().get(name));
    }
    return Optional.ofNullable(known);
  }

  /** An intent whose file is invalid now is its last valid version, with the files of its steps as they are. */
  @Override
  public Optional<Intent> current(String name) {
    return find(name).flatMap(known -> {
      Path file = directory.resolve(name + IntentFiles.SUFFIX);
      Intent read = Files.exists(file) ? readNow(file) : null;
      return Files.exists(file)
          ? Optional.of(new StepFiles(home).resolve(read == null ? known : read))
          : Optional.empty();
    });
  }

  /** The intent in a file; null if it is invalid. The text is parsed only if it has changed. */
  private @Nullable Intent readNow(Path file) {
    LoadedFile.Result<Intent> result = loadProtected(file, (text, complaints) -> {
      Parsed last = parsed.get(file);
      return last != null && last.text().equals(text) ? Optional.of(last.intent()) : parse(file, text, complaints);
    });
    return result.content();
  }

  private Optional<Intent> parse(Path file, String text, Complaints complaints) {
    Optional<Intent> intent = IntentReader.read(text, nameIn(file), schema(), complaints);
    intent.ifPresent(it -> parsed.put(file, new Parsed(text, it)));
    return intent;
  }

  @Override
  public List<Intent> list() {
    return List.copyOf(view.get().intents().values());
  }

  @Override
  public List<Complaint> complaints() {
    return view.get().complaints();
  }

  private View read(@Nullable View last) {
    Map<Path, LoadedFile<Intent>> before = last == null ? Map.of() : last.files();
    List<Complaint> complaints = new ArrayList<>();
    Map<Path, LoadedFile<Intent>> files = new TreeMap<>();
    try {
      requireProtected();
      List<Path> paths = paths();
      for (Path file : paths.subList(0, Math.min(MAX_FILES, paths.size()))) {
        files.put(file, refresh(file, before.get(file)));
      }
      if (paths.size() > MAX_FILES) {
        complaints.add(new Complaint(directory.toString(), 1, 1, true, null, "has " + paths.size()
            + " intents; only the first " + MAX_FILES + " by name are read; remove some"));
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
      file.complaints().forEach(complaint -> complaints.add(converted(path, complaint)));
      if (file.content() != null) {
        intents.put(file.content().name(), stepFiles.resolve(file.content()));
      }
    });
    return new View(files, intents, List.copyOf(complaints));
  }

  /** Thrown if other users can change the intents, and so run commands as this user. */
  private static final class Unprotected extends Exception {
    private static final long serialVersionUID = 1;

    Unprotected(WriteAccess.Problem problem) {
      super(problem.toString());
    }
  }

  private void requireProtected() throws Unprotected {
    Optional<WriteAccess.Problem> problem = othersMayWrite ? Optional.empty() : WriteAccess.problem(directory);
    if (problem.isPresent()) {
      throw new Unprotected(problem.get());
    }
  }

  /** The files that look like intents. Hidden files, such as editors' temporary files, are skipped. */
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

  private boolean hasFile(String name) {
    try {
      return paths().stream().anyMatch(file -> nameIn(file).equals(name));
    } catch (IOException unreadable) {
      return false;
    }
  }

  private static boolean isIntent(String name) {
    return !name.startsWith(".") && (name.endsWith(IntentFiles.SUFFIX) || name.endsWith(".yml"));
  }

  private LoadedFile<Intent> refresh(Path path, @Nullable LoadedFile<Intent> before) {
    return LoadedFile.refresh(new SourceFile(path, IntentFiles.KIND), before, time.now(),
        () -> loadProtected(path, (text, complaints) -> parse(path, text, complaints)));
  }

  private LoadedFile.Result<Intent> loadProtected(Path path, Parser parser) {
    Optional<WriteAccess.Problem> problem = othersMayWrite ? Optional.empty() : WriteAccess.problem(path);
    if (problem.isEmpty()) {
      return load(path, parser);
    }
    Complaints complaints = new Complaints(path.toString());
    complaints.error(Node.Position.START, "is not read: " + problem.get());
    return new LoadedFile.Result<>(null, complaints.all());
  }

  private YamlSchema schema() {
    if (schema == null) {
      schema = IntentFiles.schema();
    }
    return schema;
  }

  static LoadedFile.Result<Intent> load(Path path, YamlSchema schema) {
    return load(path, (text, complaints) -> IntentReader.read(text, nameIn(path), schema, complaints));
  }

  private static LoadedFile.Result<Intent> load(Path path, Parser parser) {
    Complaints complaints = new Complaints(path.toString());
    if (!path.getFileName().toString().endsWith(IntentFiles.SUFFIX)) {
      complaints.error(Node.Position.START,
          "the name of an intent file must end in " + IntentFiles.SUFFIX + "; rename it");
      return new LoadedFile.Result<>(null, complaints.all());
    }
    Intent intent = new SourceFile(path, IntentFiles.KIND).read(complaints)
        .flatMap(text -> parser.parse(text, complaints)).orElse(null);
    return new LoadedFile.Result<>(intent, complaints.all());
  }

  /** Converts a complaint of the YAML reader to one of the catalogue. */
  static Complaint converted(Path path, fleet.tower.platform.yaml.Complaint complaint) {
    return new Complaint(complaint.file(), complaint.position().line(), complaint.position().column(),
        complaint.isError(),
        nameIn(path), complaint.message());
  }

  /** The name of the intent that a file must contain. */
  private static String nameIn(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(IntentFiles.SUFFIX) ? name.substring(0, name.length() - IntentFiles.SUFFIX.length()) : name;
  }
}

package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.home.Setting.Given;
import fleet.tower.home.Setting.Origin;
import fleet.tower.home.Setting.Source;

/**
 * The settings of a home, the same for each of its programs: of each setting, the option of the program, else the
 * variable of the environment, else the key in {@link SettingsFile}, else the default. A program without a home has no
 * file.
 */
public final class HomeSettings implements Setting.Values {
  /** The file of settings in a home. */
  public static final String FILE = "config/application.yaml";

  private final Supplier<Path> home;
  private final Map<String, String> options;
  private final Map<String, String> environment;
  /** By the keys of the settings, since the JVM generates the hash code of a record, which takes as long as a command. */
  private @Nullable Map<String, SettingsFile.Entry> file;

  /**
   * The settings of a home that is located on first use.
   *
   * @param options values by the keys of their settings
   */
  HomeSettings(Supplier<Path> home, Map<String, String> options, Map<String, String> environment) {
    this.home = home;
    this.options = Map.copyOf(options);
    this.environment = environment;
  }

  /** The settings of the home in a directory, for a program with options of its own, by the keys of their settings. */
  public static HomeSettings of(Path home, Map<String, String> options, Map<String, String> environment) {
    return new HomeSettings(() -> home, options, environment);
  }

  /** A non-empty variable of the environment, whether it is a setting or not. */
  public Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** @throws fleet.tower.platform.InvalidConfiguration if the file is invalid */
  @Override
  public Optional<Given> find(Setting<?> setting) {
    String option = options.get(setting.key());
    if (option != null) {
      return Optional.of(new Given(option, new Origin(Source.OPTION, "--" + setting.key())));
    }
    for (String name : setting.variables()) {
      String text = environment.get(name);
      if (text != null && (!text.isEmpty() || setting.allows(text))) {
        return Optional.of(new Given(text, new Origin(Source.ENVIRONMENT, name)));
      }
    }
    if (!Settings.isOfFile(setting)) {
      // Whether a home may be used is decided before its file is read.
      return Optional.empty();
    }
    SettingsFile.Entry entry = file().get(setting.key());
    return entry == null
        ? Optional.empty()
        : Optional.of(new Given(entry.text(), new Origin(Source.FILE,
            FILE + ":" + entry.position().line())));
  }

  /** A setting that has a value. */
  public record Effective(Setting<?> setting, Given given) {}

  /** The settings that have a value, in the order of the table; each is valid. */
  public List<Effective> effective() {
    return Settings.ALL.stream().flatMap(setting -> {
      setting.given(this);
      return find(setting).or(() -> standard(setting)).map(given -> new Effective(setting, given)).stream();
    }).toList();
  }

  private static Optional<Given> standard(Setting<?> setting) {
    return setting.standard().isEmpty()
        ? Optional.empty()
        : Optional.of(new Given(setting.standard(), new Origin(Source.DEFAULT, "")));
  }

  /** Throws if the file is invalid. */
  void requireValidFile() {
    file();
  }

  private synchronized Map<String, SettingsFile.Entry> file() {
    Map<String, SettingsFile.Entry> read = file;
    if (read == null) {
      Path path = path();
      // Before the class that reads it is loaded: most homes have no such file.
      read = path == null || !Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? Map.of() : SettingsFile.read(path);
      file = read;
    }
    return read;
  }

  /** The path of the file; null without a home. */
  private @Nullable Path path() {
    try {
      return home.get().resolve(FILE);
    } catch (NoHomeException none) {
      return null;
    }
  }
}

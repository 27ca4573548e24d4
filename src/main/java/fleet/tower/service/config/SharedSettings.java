package fleet.tower.service.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

import fleet.tower.home.HomeSettings;
import fleet.tower.home.Setting;
import fleet.tower.home.Settings;
import fleet.tower.home.SettingsFile;
import fleet.tower.platform.InvalidConfiguration;

/**
 * The settings that the service shares with the commands of its home. They replace what Spring has read, and a setting
 * in a place that only Spring reads is refused, since the commands would not have it.
 */
final class SharedSettings {
  private static final String NAME = "settings of the home";
  private static final String DEFAULTS = "defaultProperties";
  /** The property that the service itself passes to Spring. */
  private static final String HOME = Settings.HOME.key();
  private static final Map<String, Setting<?>> BY_FORM = Settings.ALL.stream()
      .collect(Collectors.toMap(setting -> SettingsFile.uniform(setting.key()), setting -> setting));

  private final Path home;

  SharedSettings(Path home) {
    this.home = home;
  }

  /** Registers the settings, and replaces those that Spring has read. */
  void replaceIn(ConfigurableApplicationContext context) {
    MutablePropertySources sources = context.getEnvironment().getPropertySources();
    HomeSettings settings = HomeSettings.of(home, options(sources), System.getenv());
    Map<String, Object> values = new HashMap<>();
    settings.effective().forEach(it -> values.put(it.setting().key(), it.given().text()));
    values.put(HOME, home.toString());
    for (PropertySource<?> source : List.copyOf(sources.stream().toList())) {
      if (source instanceof EnumerablePropertySource<?> listed) {
        requireShared(listed, sources);
      }
    }
    sources.addFirst(new MapPropertySource(NAME, values));
    context.getBeanFactory().registerSingleton("settings", settings);
  }

  private static Map<String, String> options(MutablePropertySources sources) {
    Map<String, String> options = new HashMap<>();
    for (PropertySource<?> source : sources) {
      if (source instanceof CommandLinePropertySource<?> line) {
        for (String name : line.getPropertyNames()) {
          Setting<?> setting = BY_FORM.get(SettingsFile.uniform(name));
          if (setting != null && !setting.equals(Settings.HOME)) {
            options.put(setting.key(), String.valueOf(line.getProperty(name)));
          }
        }
      }
    }
    return options;
  }

  private void requireShared(EnumerablePropertySource<?> source, MutablePropertySources sources) {
    List<String> names = List.of(source.getPropertyNames());
    switch (source.getName()) {
      case DEFAULTS -> {
        // Those of the table.
      }
      case StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME -> names.forEach(SharedSettings::requireKnown);
      case StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME -> names.stream()
          .filter(name -> BY_FORM.containsKey(SettingsFile.uniform(name)) && !name.equals(HOME))
          .forEach(name -> refuse("the Java property " + name));
      default -> {
        if (!(source instanceof CommandLinePropertySource<?>)) {
          requireNone(source, names, sources);
        }
      }
    }
  }

  private void requireNone(EnumerablePropertySource<?> source, List<String> names, MutablePropertySources sources) {
    List<String> ours = names.stream().filter(SettingsFile::isOurs).sorted().toList();
    for (String name : ours) {
      Optional<TextResourceOrigin> origin = origin(source, name);
      if (!origin.flatMap(SharedSettings::file).equals(Optional.of(home.resolve(HomeSettings.FILE)))) {
        refuse(origin.map(SharedSettings::place).orElse(source.getName()) + ": " + name);
      }
    }
    if (!ours.isEmpty() && source instanceof OriginTrackedMapPropertySource file) {
      Map<String, Object> rest = new HashMap<>(file.getSource());
      ours.forEach(rest::remove);
      sources.replace(file.getName(), new OriginTrackedMapPropertySource(file.getName(), rest, true));
    }
  }

  /** Spring takes more forms of a variable, such as those with an index, for the same setting. */
  private static void requireKnown(String name) {
    String form = name.toLowerCase(Locale.ROOT).replace("_", "").replaceFirst("\\d+$", "");
    for (Setting<?> setting : Settings.ALL) {
      if (form.equals(SettingsFile.uniform(setting.key()).replace(".", "")) && !setting.variables().contains(name)) {
        refuse("the variable " + name + ", in any form but " + setting.variable());
      }
    }
  }

  private static void refuse(String place) {
    throw new InvalidConfiguration(place + " would be read by the service only, not by the commands of this home; move"
        + " it to " + HomeSettings.FILE);
  }

  private static Optional<TextResourceOrigin> origin(EnumerablePropertySource<?> source, String name) {
    Origin origin = source instanceof OriginLookup<?> ? OriginLookup.getOrigin(source, name) : null;
    return origin instanceof TextResourceOrigin text ? Optional.of(text) : Optional.empty();
  }

  private static Optional<Path> file(TextResourceOrigin origin) {
    try {
      return origin.getResource() == null ? Optional.empty() : Optional.of(origin.getResource().getFile().toPath());
    } catch (IOException notAFile) {
      return Optional.empty();
    }
  }

  private static String place(TextResourceOrigin origin) {
    TextResourceOrigin.Location at = origin.getLocation();
    return file(origin).map(Path::toString).orElseGet(() -> String.valueOf(origin.getResource()))
        + (at == null ? "" : ":" + (at.getLine() + 1) + ":" + (at.getColumn() + 1));
  }
}

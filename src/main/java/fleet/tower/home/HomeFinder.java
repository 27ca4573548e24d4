package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Locates the home of a process by the following rules, in this order; {@code bin/lock-manager.sh} has the same:
 *
 * <ol>
 * <li>the directory of {@code --home}, else of {@code TOWER_HOME}; it must be a home
 * <li>the nearest home at or above the working directory
 * <li>{@code /root/tower-fleet}, then {@code /var/lib/tower-executor}, if it is a home with access for this user
 * </ol>
 *
 * A directory is a home if it contains both {@code intents/} and {@code config/}.
 */
public final class HomeFinder {
  private static final List<Path> USUAL = List.of(Path.of("/root/tower-fleet"), Path.of("/var/lib/tower-executor"));

  private final @Nullable HomeLocation named;
  private @Nullable HomeLocation found;

  /**
   * A finder for one command line.
   *
   * @param option the value of {@code --home}, if given
   *
   * @param environment may contain {@code TOWER_HOME}
   */
  public HomeFinder(Optional<String> option, Map<String, String> environment) {
    this.named = option.map(home -> new HomeLocation(absolute(home), HomeLocation.Rule.OPTION))
        .or(() -> Optional.ofNullable(environment.get("TOWER_HOME")).filter(home -> !home.isEmpty())
            .map(home -> new HomeLocation(absolute(home), HomeLocation.Rule.VARIABLE)))
        .orElse(null);
  }

  /** The home; located once. */
  public synchronized HomeLocation find() {
    if (found == null) {
      found = locate();
    }
    return found;
  }

  /** The home of a service; creates it if the named directory is empty or absent. */
  public synchronized HomeLocation findOrCreate() {
    if (named != null && !NewHome.isHome(named.root()) && NewHome.isVacant(named.root())) {
      new NewHome(named.root()).create();
    }
    return find();
  }

  /** The directory in which {@code tower init} creates a home by default: the named one, else the working directory. */
  public Path placeForNew() {
    return named == null ? absolute("") : named.root();
  }

  private HomeLocation locate() {
    if (named != null) {
      return requireHome(named);
    }
    for (Path at = absolute(""); at != null; at = at.getParent()) {
      if (NewHome.isHome(at)) {
        return new HomeLocation(at, HomeLocation.Rule.NEAREST);
      }
    }
    return USUAL.stream().filter(place -> NewHome.isHome(place) && isUsable(place)).findFirst()
        .map(place -> new HomeLocation(place, HomeLocation.Rule.USUAL)).orElseThrow(NoHomeException::none);
  }

  private static HomeLocation requireHome(HomeLocation named) {
    Path root = named.root();
    if (NewHome.isHome(root)) {
      return named;
    }
    if (Files.notExists(root)) {
      throw NoHomeException.notAHome(named, "it does not exist",
          "correct the path, or create a home there: tower init " + root);
    }
    if (!Files.isDirectory(root)) {
      throw NoHomeException.notAHome(named, "it is not a directory", "correct the path");
    }
    throw NoHomeException.notAHome(named, "it has no " + String.join(" and no ", NewHome.missing(root)),
        "correct the path, or make it a home: tower init " + root);
  }

  private static boolean isUsable(Path home) {
    return Files.isReadable(home) && Files.isWritable(home) && Files.isExecutable(home);
  }

  private static Path absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize();
  }
}

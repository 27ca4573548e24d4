package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Finds the home of a process; it is never guessed, and {@code bin/lock-manager.sh} has the same rules. In this order:
 *
 * <ol>
 * <li>the directory that {@code --home} names, else the one of {@code TOWER_HOME}; it must be a home
 * <li>the nearest directory at or above the working directory that is a home
 * <li>{@code /root/tower-fleet}, then {@code /var/lib/tower-executor}, if it is a home that this user may use
 * </ol>
 *
 * A directory is a home if it has both {@code intents/} and {@code config/}.
 */
public final class HomeFinder {
  private static final List<Path> USUAL = List.of(Path.of("/root/tower-fleet"), Path.of("/var/lib/tower-executor"));

  private final @Nullable HomeLocation named;
  private @Nullable HomeLocation found;

  /**
   * A finder for one command line.
   *
   * @param option the value of {@code --home}, if it was given
   * @param environment where {@code TOWER_HOME} is
   */
  public HomeFinder(Optional<String> option, Map<String, String> environment) {
    this.named = option.map(home -> new HomeLocation(absolute(home), HomeLocation.Rule.OPTION))
        .or(() -> Optional.ofNullable(environment.get("TOWER_HOME")).filter(home -> !home.isEmpty())
            .map(home -> new HomeLocation(absolute(home), HomeLocation.Rule.VARIABLE)))
        .orElse(null);
  }

  /** The home; it is looked for once. */
  public synchronized HomeLocation find() {
    if (found == null) {
      found = locate();
    }
    return found;
  }

  /** The home, for a service: an empty or absent directory that was named becomes one. */
  public synchronized HomeLocation findOrCreate() {
    if (named != null && !NewHome.isHome(named.root()) && NewHome.isVacant(named.root())) {
      new NewHome(named.root()).create();
    }
    return find();
  }

  /** Where {@code tower init} creates a home if it is not told: where one is named, else in the working directory. */
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

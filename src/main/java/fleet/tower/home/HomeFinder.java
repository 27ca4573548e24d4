package fleet.tower.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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
 * Where the second rule goes before a home of the third, nothing says which one is meant, and locks in one do not exclude
 * those in the other; so commands that take locks refuse.
 *
 * A directory is a home if it contains both {@code intents/} and {@code config/}.
 */
public final class HomeFinder {
  private static final List<Path> USUAL = List.of(Path.of("/root/tower-fleet"), Path.of("/var/lib/tower-executor"));

  private final Map<String, String> environment;
  private final @Nullable HomeLocation named;
  private @Nullable HomeLocation found;
  private boolean isTrusted;

  /**
   * A finder for one command line.
   *
   * @param option the value of {@code --home}, if given
   *
   * @param environment may contain {@code TOWER_HOME}
   */
  public HomeFinder(Optional<String> option, Map<String, String> environment) {
    this.environment = environment;
    this.named = option.map(home -> new HomeLocation(absolute(home), HomeLocation.Rule.OPTION))
        .or(() -> Optional.ofNullable(environment.get("TOWER_HOME")).filter(home -> !home.isEmpty())
            .map(home -> new HomeLocation(absolute(home), HomeLocation.Rule.VARIABLE)))
        .orElse(null);
  }

  /**
   * The home; located once.
   *
   * @throws NoHomeException if there is none, or if other users can change it
   */
  public synchronized HomeLocation find() {
    HomeLocation location = findUntrusted();
    if (!isTrusted) {
      requireTrust(location.root());
      isTrusted = true;
    }
    return location;
  }

  /**
   * The same, also if other users can change it. Nothing may be read from it or written to it.
   *
   * @throws NoHomeException if there is none
   */
  public synchronized HomeLocation findUntrusted() {
    if (found == null) {
      found = locate();
    }
    return found;
  }

  /**
   * Requires that only this user and root can change a home or, if it is absent, the directories above it.
   *
   * @throws NoHomeException if others can
   */
  public void requireTrust(Path root) {
    new HomeProtection(root, Settings.INSECURE_FILES.of(HomeSettings.of(root, Map.of(), environment))).require();
  }

  /** Whether the user names the home; otherwise it is searched for. */
  public boolean isNamed() {
    return named != null;
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
        return new HomeLocation(at, HomeLocation.Rule.NEAREST, usual().filter(isOther(at)).orElse(null));
      }
    }
    return usual().map(place -> new HomeLocation(place, HomeLocation.Rule.USUAL)).orElseThrow(NoHomeException::none);
  }

  private static Optional<Path> usual() {
    return USUAL.stream().filter(place -> NewHome.isHome(place) && isUsable(place)).findFirst();
  }

  private static Predicate<Path> isOther(Path home) {
    return other -> {
      try {
        return !Files.isSameFile(home, other);
      } catch (IOException unreadable) {
        return true;
      }
    };
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

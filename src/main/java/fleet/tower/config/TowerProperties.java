package fleet.tower.config;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * All settings below {@code tower}. A key that is not here is refused, because it would be a mistake that nobody notices.
 *
 * @param home the root of everything at run time; it is known before any file is read
 * @param hostId the name that this host has in locks; the kernel's word if it is left out
 */
@ConfigurationProperties(prefix = "tower", ignoreUnknownFields = false)
record TowerProperties(String home, @Nullable String hostId, @DefaultValue Lock lock) {

  /**
   * Settings of the locks.
   *
   * @param insecureDirectory takes a lock directory on a network or overlay file system too
   */
  record Lock(@DefaultValue("false") boolean insecureDirectory) {}

  /** The same settings by the names of their environment variables. */
  Map<String, String> asEnvironment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("TOWER_HOME", home);
    environment.put("TOWER_LOCK_INSECURE_DIRECTORY", Boolean.toString(lock.insecureDirectory()));
    if (hostId != null) {
      environment.put("TOWER_HOST_ID", hostId);
    }
    return environment;
  }
}

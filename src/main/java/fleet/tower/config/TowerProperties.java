package fleet.tower.config;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import fleet.tower.queue.QueueHands;

/**
 * All settings below {@code tower}. A key that is not here is refused, because it would be a mistake that nobody notices.
 *
 * @param home the root of everything at run time; it is known before any file is read
 * @param hostId the name that this host has in locks; the kernel's word if it is left out
 */
@ConfigurationProperties(prefix = "tower", ignoreUnknownFields = false)
record TowerProperties(String home, @Nullable String hostId, @DefaultValue Lock lock, @DefaultValue Database database,
    @DefaultValue Shutdown shutdown, @DefaultValue Heartbeat heartbeat, @DefaultValue Queue queue,
    @DefaultValue Oidc oidc) {

  private static final Duration LONGEST_GRACE = Duration.ofHours(1);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(30);

  /**
   * Settings of the locks.
   *
   * @param insecureDirectory takes a lock directory on a network or overlay file system too
   * @param store {@code file} keeps locks on this host's files though there is a database of a fleet
   */
  record Lock(@DefaultValue("false") boolean insecureDirectory, @Nullable String store) {}

  /**
   * Where what is no file is kept.
   *
   * @param url of PostgreSQL, shared by the hosts of a fleet; if it is left out, SQLite in the home
   */
  record Database(@Nullable String url) {}

  /**
   * How the service stops.
   *
   * @param grace how long runs may go on when it is told to stop, before they are cancelled and undone
   */
  record Shutdown(@DefaultValue("20s") Duration grace) {
    Shutdown {
      if (grace.isNegative() || grace.compareTo(LONGEST_GRACE) > 0) {
        throw new IllegalArgumentException("the grace must be from 0s to 1h");
      }
    }
  }

  /**
   * How locks are kept alive.
   *
   * @param maxInterval the longest time between two heartbeats of a lock; it can only be lowered
   */
  record Heartbeat(@DefaultValue("30s") Duration maxInterval) {
    Heartbeat {
      if (maxInterval.compareTo(Duration.ofSeconds(1)) < 0 || maxInterval.compareTo(LONGEST_INTERVAL) > 0) {
        throw new IllegalArgumentException("the interval must be from 1s to 30s");
      }
    }
  }

  /**
   * How runs that stand in the queue are taken.
   *
   * @param workers so many at the same time in this process
   * @param stalledAfter a worker that made no progress for so long makes the service not ready
   * @param lease so late another process takes a run whose process died before its first step
   */
  record Queue(@DefaultValue("4") int workers, @DefaultValue("12m") Duration stalledAfter,
      @DefaultValue("2m") Duration lease) {
    QueueHands.Settings settings() {
      return new QueueHands.Settings(workers, stalledAfter, lease);
    }
  }

  /**
   * Callers whom another issuer vouches for, where Spring's own properties name one.
   *
   * @param rolesClaim the claim that has their roles; dots lead into objects
   * @param rolePrefix what stands in front of viewer, agent and operator there
   */
  record Oidc(@DefaultValue("roles") String rolesClaim, @DefaultValue("tower-") String rolePrefix) {
    Oidc {
      if (rolesClaim.isBlank()) {
        throw new IllegalArgumentException("the claim needs a name");
      }
    }
  }

  /** The same settings by the names of their environment variables. */
  Map<String, String> asEnvironment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("TOWER_HOME", home);
    environment.put("TOWER_LOCK_INSECURE_DIRECTORY", Boolean.toString(lock.insecureDirectory()));
    environment.put("TOWER_HEARTBEAT_MAX_INTERVAL", heartbeat.maxInterval().toSeconds() + "s");
    if (lock.store() != null) {
      environment.put("TOWER_LOCK_STORE", lock.store());
    }
    if (database.url() != null) {
      environment.put("TOWER_DATABASE_URL", database.url());
    }
    if (hostId != null) {
      environment.put("TOWER_HOST_ID", hostId);
    }
    return environment;
  }
}

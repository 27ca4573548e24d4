package fleet.tower.service.config;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import fleet.tower.run.queue.RunQueueConsumers;

/** The settings below {@code tower}. An unknown key is refused, because a typing error would otherwise go unnoticed. */
@ConfigurationProperties(prefix = "tower", ignoreUnknownFields = false)
final class TowerProperties {
  private static final Duration LONGEST_GRACE = Duration.ofHours(1);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(30);
  private static final int MOST_RUNS = 10_000;
  private static final int MOST_WAITING = 100_000;

  /**
   * Settings of locks.
   *
   * @param insecureDirectory accepts a lock directory on a network or overlay file system
   * @param store {@code file} keeps locks in this host's files even if a fleet's database is configured
   */
  record Lock(@DefaultValue("false") boolean insecureDirectory, @Nullable String store) {}

  /**
   * Settings of the database.
   *
   * @param url the PostgreSQL database that a fleet shares; unset: SQLite in the home
   */
  record Database(@Nullable String url) {}

  /**
   * Settings of the shutdown.
   *
   * @param grace how long runs may continue before they are cancelled and rolled back
   */
  record Shutdown(@DefaultValue("20s") TimeSpan grace) {
    Shutdown {
      if (grace.value().compareTo(LONGEST_GRACE) > 0) {
        throw new IllegalArgumentException("the grace must be from 0s to 1h");
      }
    }
  }

  /**
   * Settings of heartbeats.
   *
   * @param maxInterval the longest time between two heartbeats of a lock; it can only be lowered
   */
  record Heartbeat(@DefaultValue("30s") TimeSpan maxInterval) {
    Heartbeat {
      if (maxInterval.value().compareTo(Duration.ofSeconds(1)) < 0
          || maxInterval.value().compareTo(LONGEST_INTERVAL) > 0) {
        throw new IllegalArgumentException("the interval must be from 1s to 30s");
      }
    }
  }

  /**
   * Settings of the queue of runs.
   *
   * @param workers the number of queued runs that this process executes at the same time
   * @param stalledAfter the time without progress after which a worker makes the service not ready
   * @param lease the time after which another process takes a run whose executor died before its first step
   */
  record Queue(@DefaultValue("4") int workers, @DefaultValue("12m") TimeSpan stalledAfter,
      @DefaultValue("2m") TimeSpan lease) {
    RunQueueConsumers.Settings settings() {
      return new RunQueueConsumers.Settings(workers, stalledAfter.value(), lease.value());
    }
  }

  /**
   * Limits of runs.
   *
   * @param maxConcurrent the number of runs at the same time, including those that wait for their lock
   * @param maxOutputPerStep how much output is kept per step
   */
  record Runs(@DefaultValue("2000") int maxConcurrent, @DefaultValue("1GB") DataSize maxOutputPerStep) {
    Runs {
      if (maxConcurrent < 1 || maxConcurrent > MOST_RUNS) {
        throw new IllegalArgumentException("max-concurrent must be from 1 to " + MOST_RUNS);
      }
      if (maxOutputPerStep.toBytes() < 1) {
        throw new IllegalArgumentException("max-output-per-step must be at least 1B");
      }
    }
  }

  /**
   * Limits of HTTP calls.
   *
   * @param maxWaiting the number of calls that may wait at the same time; less than the number of connections
   * @param tokenTimeout how long a connection may stay open without a valid token, and how long request headers may take
   */
  record Calls(@DefaultValue("4000") int maxWaiting, @DefaultValue("10s") TimeSpan tokenTimeout) {
    Calls {
      if (tokenTimeout.value().compareTo(Duration.ofSeconds(1)) < 0
          || tokenTimeout.value().compareTo(LONGEST_INTERVAL) > 0) {
        throw new IllegalArgumentException("token-timeout must be from 1s to 30s");
      }
      if (maxWaiting < 1 || maxWaiting > MOST_WAITING) {
        throw new IllegalArgumentException("max-waiting must be from 1 to " + MOST_WAITING);
      }
    }
  }

  /**
   * Settings of proxies in front of the service.
   *
   * @param trustedProxies addresses and networks whose {@code X-Forwarded-For} and {@code X-Forwarded-Proto} are trusted
   */
  record Http(@DefaultValue List<String> trustedProxies) {
    Http {
      trustedProxies = List.copyOf(trustedProxies);
    }
  }

  /**
   * Settings of an external token issuer, which Spring's own properties name.
   *
   * @param rolesClaim the claim that contains the roles; dots lead into objects
   * @param rolePrefix the prefix of viewer, agent and operator in that claim
   */
  record Oidc(@DefaultValue("roles") String rolesClaim, @DefaultValue("tower-") String rolePrefix) {
    Oidc {
      if (rolesClaim.isBlank()) {
        throw new IllegalArgumentException("the claim must have a name");
      }
    }
  }

  /**
   * Settings of retention; 0 keeps data forever.
   *
   * @param runs how long a finished run and its output are kept
   * @param audit how long the events of a day are kept
   */
  record Retention(@DefaultValue("90d") TimeSpan runs, @DefaultValue("400d") TimeSpan audit) {}

  /**
   * Settings of the audit log.
   *
   * @param renewals records every renewal of a lock; late renewals are always recorded
   */
  record Audit(@DefaultValue("false") boolean renewals) {}

  /**
   * Settings of the service's output.
   *
   * @param format plain text, or JSON lines in the Elastic Common Schema, including every audit event
   */
  record Log(@DefaultValue("plain") Format format) {
    /** The output formats. */
    enum Format {
      PLAIN, ECS
    }
  }

  private String home = "";
  private @Nullable String hostId;
  private boolean insecureFiles;
  private Lock lock = new Lock(false, null);
  private Database database = new Database(null);
  private Shutdown shutdown = new Shutdown(new TimeSpan(Duration.ofSeconds(20)));
  private Heartbeat heartbeat = new Heartbeat(new TimeSpan(LONGEST_INTERVAL));
  private Queue queue = new Queue(4, new TimeSpan(Duration.ofMinutes(12)), new TimeSpan(Duration.ofMinutes(2)));
  private Oidc oidc = new Oidc("roles", "tower-");
  private Runs runs = new Runs(2000, DataSize.ofGigabytes(1));
  private Retention retention = new Retention(new TimeSpan(Duration.ofDays(90)), new TimeSpan(Duration.ofDays(400)));
  private Audit audit = new Audit(false);

  /** The home directory; known before any file is read. */
  void setHome(String home) {
    this.home = home;
  }

  /** The name of this host in locks; by default the kernel's host name. */
  void setHostId(@Nullable String hostId) {
    this.hostId = hostId;
  }

  /** Accepts intents that users other than the service's could change. */
  void setInsecureFiles(boolean insecureFiles) {
    this.insecureFiles = insecureFiles;
  }

  void setLock(Lock lock) {
    this.lock = lock;
  }

  void setDatabase(Database database) {
    this.database = database;
  }

  void setShutdown(Shutdown shutdown) {
    this.shutdown = shutdown;
  }

  void setHeartbeat(Heartbeat heartbeat) {
    this.heartbeat = heartbeat;
  }

  void setQueue(Queue queue) {
    this.queue = queue;
  }

  void setOidc(Oidc oidc) {
    this.oidc = oidc;
  }

  void setRuns(Runs runs) {
    this.runs = runs;
  }

  /** Read where calls are answered; here it is only validated. */
  void setCalls(Calls calls) {
    requireNonNull(calls);
  }

  /** Read where callers are authenticated; here it is only validated. */
  void setHttp(Http http) {
    requireNonNull(http);
  }

  void setRetention(Retention retention) {
    this.retention = retention;
  }

  void setAudit(Audit audit) {
    this.audit = audit;
  }

  /** Read where the service starts; here it is only validated. */
  void setLog(Log log) {
    requireNonNull(log.format());
  }

  Path home() {
    return Path.of(home);
  }

  Shutdown shutdown() {
    return shutdown;
  }

  Queue queue() {
    return queue;
  }

  Oidc oidc() {
    return oidc;
  }

  /** The settings by the names of their environment variables. */
  Map<String, String> asEnvironment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("TOWER_INSECURE_FILES", Boolean.toString(insecureFiles));
    environment.put("TOWER_LOCK_INSECURE_DIRECTORY", Boolean.toString(lock.insecureDirectory()));
    environment.put("TOWER_HEARTBEAT_MAX_INTERVAL", heartbeat.maxInterval().value().toString());
    environment.put("TOWER_RUNS_MAX_CONCURRENT", Integer.toString(runs.maxConcurrent()));
    environment.put("TOWER_RUNS_MAX_OUTPUT_PER_STEP", runs.maxOutputPerStep().toBytes() + "B");
    environment.put("TOWER_RETENTION_RUNS", retention.runs().value().toString());
    environment.put("TOWER_RETENTION_AUDIT", retention.audit().value().toString());
    environment.put("TOWER_AUDIT_RENEWALS", Boolean.toString(audit.renewals()));
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

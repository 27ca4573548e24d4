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

/** All settings below {@code tower}. A key that is not here is refused, because it would be a mistake that nobody notices. */
@ConfigurationProperties(prefix = "tower", ignoreUnknownFields = false)
final class TowerProperties {
  private static final Duration LONGEST_GRACE = Duration.ofHours(1);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(30);
  private static final int MOST_RUNS = 10_000;
  private static final int MOST_WAITING = 100_000;

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
  record Shutdown(@DefaultValue("20s") TimeSpan grace) {
    Shutdown {
      if (grace.value().compareTo(LONGEST_GRACE) > 0) {
        throw new IllegalArgumentException("the grace must be from 0s to 1h");
      }
    }
  }

  /**
   * How locks are kept alive.
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
   * How runs that stand in the queue are taken.
   *
   * @param workers so many at the same time in this process
   * @param stalledAfter a worker that made no progress for so long makes the service not ready
   * @param lease so late another process takes a run whose process died before its first step
   */
  record Queue(@DefaultValue("4") int workers, @DefaultValue("12m") TimeSpan stalledAfter,
      @DefaultValue("2m") TimeSpan lease) {
    RunQueueConsumers.Settings settings() {
      return new RunQueueConsumers.Settings(workers, stalledAfter.value(), lease.value());
    }
  }

  /**
   * How much runs may take.
   *
   * @param maxConcurrent so many at the same time, those that wait for their lock included
   * @param maxOutputPerStep so much of what one step prints is kept
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
   * How much calls over HTTP may take.
   *
   * @param maxWaiting so many may wait for a lock or a message at the same time; it is less than the connections that there are
   * @param tokenTimeout how long a connection may stay open without a valid token, and how long the headers of a request may take
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
   * How calls reach the service.
   *
   * @param trustedProxies addresses and networks of proxies, whose {@code X-Forwarded-For} and {@code X-Forwarded-Proto} are believed
   */
  record Http(@DefaultValue List<String> trustedProxies) {
    Http {
      trustedProxies = List.copyOf(trustedProxies);
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

  /**
   * For how long what has ended is kept; 0 keeps it for ever.
   *
   * @param runs after its end a run, and what it printed
   * @param audit the events of a day
   */
  record Retention(@DefaultValue("90d") TimeSpan runs, @DefaultValue("400d") TimeSpan audit) {}

  /**
   * What the audit log has.
   *
   * @param renewals also every renewal of a lock; one that came late is there in any case
   */
  record Audit(@DefaultValue("false") boolean renewals) {}

  /**
   * How the service says what it has to say.
   *
   * @param format plain words, or JSON lines of the Elastic Common Schema with every event of the audit log among them
   */
  record Log(@DefaultValue("plain") Format format) {
    /** What there is to choose from. */
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

  /** The root of everything at run time; it is known before any file is read. */
  void setHome(String home) {
    this.home = home;
  }

  /** The name that this host has in locks; the kernel's word if it is left out. */
  void setHostId(@Nullable String hostId) {
    this.hostId = hostId;
  }

  /** Reads intents that others than the service's user could change. */
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

  /** What it says is read where calls are answered; here it is only checked. */
  void setCalls(Calls calls) {
    requireNonNull(calls);
  }

  /** What it says is read where calls are let in; here it is only checked. */
  void setHttp(Http http) {
    requireNonNull(http);
  }

  void setRetention(Retention retention) {
    this.retention = retention;
  }

  void setAudit(Audit audit) {
    this.audit = audit;
  }

  /** What it says is read where the service begins; here it is only checked. */
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

  /** The same settings by the names of their environment variables. */
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

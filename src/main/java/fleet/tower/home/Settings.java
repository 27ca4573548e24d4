package fleet.tower.home;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import fleet.tower.intent.Labels;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.mailbox.consumer.ConsumerSettings;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.submit.RunQueueConsumers;

/**
 * All settings of the product. Every program of a home reads them from the same places, {@link HomeSettings}. The
 * example file and the metadata that editors read are generated from this table.
 */
public final class Settings {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})(B|KB|MB|GB|TB)?");
  private static final Pattern RESOURCE = Pattern.compile("https?://[^/?#\\s]+(/[^?#\\s]*)?/mcp");
  private static final Map<String, Long> UNITS = Map.of("KB", 1L << 10, "MB", 1L << 20, "GB", 1L << 30, "TB",
      1L << 40);
  private static final long MOST_BYTES = 1L << 50;
  private static final long MOST_OUTPUT = 1L << 30;
  private static final long MOST_OUTPUT_IN_FLEET = 64L << 20;
  private static final Duration LONGEST = Duration.ofDays(1_000_000_000);

  public static final Setting<String> HOME = text("home", "", "The root directory of all runtime files.");
  public static final Setting<String> HOST_ID = text("host-id", "",
      "The name of this host in locks. Default: the kernel's name of the host.");
  public static final Setting<String> LABELS = new Setting<>("labels", "", String.class,
      "labels separated by commas, such as db-admin,eu-west; each 1 to 63 letters, digits, and . _ -",
      "The labels of this host, separated by commas, for intents that require some with runs_on. The host's name is one of its labels, too.",
      text -> Optional.of(text).filter(it -> !it.isBlank() && Labels.parse(it).isPresent()));
  public static final Setting<Boolean> INSECURE_FILES = flag("insecure-files",
      "Use a home that users other than the service's own can change. Only from the environment.");
  public static final Setting<Boolean> LOCK_INSECURE_DIRECTORY = flag("lock.insecure-directory",
      "Accept a lock directory on a network file system, where locks may not exclude each other.");
  public static final Setting<String> LOCK_STORE = new Setting<>("lock.store", "", String.class, "file or database",
      "file keeps locks in this host's files although a fleet's database is set.",
      value -> Optional.of(value).filter(List.of("file", "database")::contains));
  public static final Setting<String> DATABASE_URL = text("database.url", "",
      "The PostgreSQL database that the hosts of a fleet share: locks, runs, their queue, tasks, mailboxes. Default: SQLite in the home.");
  public static final Setting<Duration> SHUTDOWN_GRACE = span("shutdown.grace", "20s", Duration.ZERO,
      Duration.ofHours(1), "0s to 1h",
      "Time for runs to finish when the service stops, before they are cancelled and rolled back.");
  public static final Setting<Duration> HEARTBEAT_MAX_INTERVAL = span("heartbeat.max-interval", "30s",
      Duration.ofSeconds(1), RenewalSchedule.DEFAULT_MAX_INTERVAL, "1s to 30s",
      "Longest time between two heartbeats of a lock or claim.");
  public static final Setting<Integer> QUEUE_WORKERS = count("queue.workers", "4", ConsumerSettings.MAX_WORKERS,
      "Number of queued runs that this process executes at the same time.");
  public static final Setting<Duration> QUEUE_LEASE = span("queue.lease", "2m",
      RunQueueConsumers.Settings.SHORTEST_LEASE, RunQueueConsumers.Settings.LONGEST_LEASE, "2s to 1h",
      "Time after which another process takes the queued run of a dead process, if no step had begun; at least twice heartbeat.max-interval.");
  public static final Setting<Duration> QUEUE_STALLED_AFTER = span("queue.stalled-after", "12m", Duration.ZERO,
      LONGEST, "a time span like 12m", "A worker without progress for this long makes the service not ready.");
  public static final Setting<Integer> RUNS_MAX_CONCURRENT = count("runs.max-concurrent", "2000", 10_000,
      "Maximum number of concurrent runs, including those that wait for their lock; further ones get 429.");
  public static final Setting<Long> RUNS_MAX_OUTPUT_PER_STEP = new Setting<>("runs.max-output-per-step", "",
      Long.class, "a number of bytes like 500MB or 1GB",
      "How much of the output of a step is kept; a step that prints more continues. Default: 1GB; in a fleet 64MB, because its database stores it too.",
      Settings::bytes);
  public static final Setting<Integer> RUNS_KEEP_AT_MOST = count("runs.keep-at-most", "100000", 0, 100_000_000,
      "How many runs are kept with their output; the oldest finished ones are removed. 0 means any number.");
  public static final Setting<Integer> CALLS_MAX_WAITING = count("calls.max-waiting", "4000", 100_000,
      "Number of calls that may wait for a lock, a message or the end of a run at the same time, event streams included; further ones get 429. Less than server.tomcat.max-connections (8192).");
  public static final Setting<Integer> CALLERS_MAX_SHARE = count("callers.max-share", "25", 100,
      "How much of runs.max-concurrent, and of calls.max-waiting, one caller may have at the same time, in percent.");
  public static final Setting<Duration> CALLS_TOKEN_TIMEOUT = span("calls.token-timeout", "10s",
      Duration.ofSeconds(1), Duration.ofSeconds(30), "1s to 30s",
      "How long a connection may stay open without a valid token, and how long the headers of a request may take.");
  public static final Setting<String> HTTP_TRUSTED_PROXIES = text("http.trusted-proxies", "",
      "Proxies whose X-Forwarded-For and X-Forwarded-Proto are accepted: addresses and networks. Those of others are ignored.");
  public static final Setting<Long> DISK_RESERVE = size("disk.reserve", "64MB",
      "Free space that is kept for locks, tokens and the audit log: with less, new runs, tasks and messages get 507, and output is dropped.");
  public static final Setting<Integer> MAILBOXES_MAX_MESSAGES = count("mailboxes.max-messages", "10000", 100_000,
      "Number of messages that a mailbox may have, dead letters included; further ones get 507.");
  public static final Setting<Long> MAILBOXES_MAX_BYTES = size("mailboxes.max-bytes", "256MB",
      "How many bytes the messages of a mailbox may have together, dead letters included; further ones get 507.");
  public static final Setting<Duration> RETENTION_RUNS = age("retention.runs", "90d",
      "How long finished runs and their output are kept; 0 means forever.");
  public static final Setting<Duration> RETENTION_AUDIT = age("retention.audit", "400d",
      "How long the days of the audit log are kept; 0 means forever.");
  public static final Setting<Duration> LOCKS_KEEP_UNUSED = hours("locks.keep-unused", "30d",
      "How long the files of a lock name are kept after its last use; its fencing tokens never start again. 0 means forever.");
  public static final Setting<Duration> TOKENS_LIFETIME = hours("tokens.lifetime", "0",
      "How long a token is accepted after its creation or last rotation, the operator's own excepted. 0 means until its own expiry.");
  public static final Setting<Boolean> AUDIT_RENEWALS = flag("audit.renewals",
      "Write every renewal of a lock to the audit log; a late one is always written.");
  public static final Setting<String> LOG_FORMAT = new Setting<>("log.format", "plain", String.class,
      "plain, ecs, logstash or gelf",
      "plain text, or JSON lines that include every event of the audit log: ecs, logstash or gelf.",
      value -> Optional.of(value).filter(List.of("plain", "ecs", "logstash", "gelf")::contains));
  public static final Setting<String> OIDC_ROLES_CLAIM = text("oidc.roles-claim", "roles",
      "The claim of another issuer's tokens that has the roles; dots select nested members. The issuer and its audiences are set below spring.security.oauth2.resourceserver.jwt: docs/security.md.");
  public static final Setting<String> OIDC_ROLE_PREFIX = new Setting<>("oidc.role-prefix", "tower-", String.class,
      "any text", "The prefix of viewer, agent, operator and approver in that claim.", Optional::of);
  public static final Setting<String> CONSOLE_CLIENT_ID = text("console.client-id", "",
      "The client id of the console at the issuer, where users then sign in. If empty, they paste a token.");
  public static final Setting<String> CONSOLE_SCOPE = text("console.scope", "openid",
      "The scopes that the console requests from the issuer, separated by spaces.");
  public static final Setting<Boolean> MCP_ENABLED = flag("mcp.enabled", "true",
      "Serve the Model Context Protocol at /mcp.");
  public static final Setting<String> MCP_TOOLS = new Setting<>("mcp.tools", "auto", String.class,
      "auto, each or search",
      "The tools for intents over MCP: each intent as one, or search_intents and run_intent; auto switches to search at 21 intents.",
      value -> Optional.of(value).filter(List.of("auto", "each", "search")::contains));
  public static final Setting<Duration> MCP_TASK_AFTER = span("mcp.task-after", "2s", Duration.ZERO,
      Duration.ofHours(1), "0s to 1h",
      "Time after which a run becomes an MCP task, for clients that support tasks.");
  public static final Setting<Duration> MCP_ANSWER_WITHIN = span("mcp.answer-within", "45s", Duration.ofSeconds(1),
      Duration.ofHours(1), "1s to 1h",
      "Time after which a call over MCP returns although its run continues, for clients that do not support tasks.");
  public static final Setting<String> MCP_RESOURCE = new Setting<>("mcp.resource", "", String.class,
      "a URL like https://tower.example.com/mcp",
      "The public URL of /mcp, for OAuth metadata and as an audience of tokens. Default: the URL of each request.",
      text -> Optional.of(text).filter(it -> RESOURCE.matcher(it).matches()));
  public static final Setting<String> MCP_ALLOWED_ORIGINS = text("mcp.allowed-origins", "",
      "Origins of web pages that may call /mcp, such as https://chat.example.com, in addition to those of this host.");
  public static final Setting<String> MCP_ALLOWED_HOSTS = text("mcp.allowed-hosts", "",
      "Host names, optionally with a port, under which clients may call /mcp, in addition to localhost, the host of mcp.resource and the service's address.");

  /** In the order in which people read them. */
  public static final List<Setting<?>> ALL = List.of(SHUTDOWN_GRACE, HEARTBEAT_MAX_INTERVAL, QUEUE_WORKERS,
      QUEUE_LEASE, QUEUE_STALLED_AFTER, LOCK_INSECURE_DIRECTORY, LOCK_STORE, RUNS_MAX_CONCURRENT,
      RUNS_MAX_OUTPUT_PER_STEP, RUNS_KEEP_AT_MOST, CALLERS_MAX_SHARE, CALLS_MAX_WAITING, CALLS_TOKEN_TIMEOUT,
      HTTP_TRUSTED_PROXIES, MCP_ENABLED, MCP_TOOLS, MCP_TASK_AFTER, MCP_ANSWER_WITHIN, MCP_RESOURCE,
      MCP_ALLOWED_ORIGINS, MCP_ALLOWED_HOSTS, DISK_RESERVE, MAILBOXES_MAX_MESSAGES, MAILBOXES_MAX_BYTES,
      RETENTION_RUNS, RETENTION_AUDIT, LOCKS_KEEP_UNUSED, TOKENS_LIFETIME, AUDIT_RENEWALS, LOG_FORMAT, DATABASE_URL,
      OIDC_ROLES_CLAIM,
      OIDC_ROLE_PREFIX,
      CONSOLE_CLIENT_ID, CONSOLE_SCOPE, HOME, HOST_ID, LABELS, INSECURE_FILES);

  /** The settings that the file may have as a list; elsewhere, commas separate the items. */
  private static final List<Setting<?>> LISTS = List.of(HTTP_TRUSTED_PROXIES, MCP_ALLOWED_ORIGINS, MCP_ALLOWED_HOSTS);

  private Settings() {}

  /** Whether the file of a home may have a setting: a home neither names itself nor vouches for itself. */
  static boolean isOfFile(Setting<?> setting) {
    return !setting.name().equals(HOME.name()) && !setting.name().equals(INSECURE_FILES.name());
  }

  /** The setting with a name. */
  public static Setting<?> named(String name) {
    return ALL.stream().filter(setting -> setting.name().equals(name)).findFirst()
        .orElseThrow(() -> new IllegalStateException("there is no setting " + name));
  }

  static boolean isList(Setting<?> setting) {
    return LISTS.stream().anyMatch(list -> list.name().equals(setting.name()));
  }

  /** The standard values by key, of those settings that have one. */
  public static Map<String, Object> standards() {
    return ALL.stream().filter(setting -> !setting.standard().isEmpty())
        .collect(Collectors.toMap(Setting::key, Setting::standard));
  }

  static Retention.Limits retention(Setting.Values values) {
    return new Retention.Limits(RETENTION_RUNS.of(values), RUNS_KEEP_AT_MOST.of(values),
        RETENTION_AUDIT.of(values), LOCKS_KEEP_UNUSED.of(values));
  }

  /** The limit for the output of one step, in bytes. */
  static long maxOutputPerStep(Setting.Values values, boolean isFleet) {
    return RUNS_MAX_OUTPUT_PER_STEP.given(values).orElse(isFleet ? MOST_OUTPUT_IN_FLEET : MOST_OUTPUT);
  }

  static RunQueueConsumers.Settings queue(Setting.Values values) {
    return new RunQueueConsumers.Settings(QUEUE_WORKERS.of(values), QUEUE_STALLED_AFTER.of(values),
        QUEUE_LEASE.of(values));
  }

  private static Setting<String> text(String name, String standard, String help) {
    return new Setting<>(name, standard, String.class, "a text that is not blank", help,
        text -> Optional.of(text).filter(it -> !it.isBlank()));
  }

  private static Setting<Boolean> flag(String name, String help) {
    return flag(name, "false", help);
  }

  private static Setting<Boolean> flag(String name, String standard, String help) {
    return new Setting<>(name, standard, Boolean.class, "true or false", help,
        text -> switch (text.toLowerCase(Locale.ROOT)) {
          case "true", "yes", "on", "1" -> Optional.of(true);
          case "false", "no", "off", "0" -> Optional.of(false);
          default -> Optional.empty();
        });
  }

  private static Setting<Integer> count(String name, String standard, int max, String help) {
    return count(name, standard, 1, max, help);
  }

  private static Setting<Integer> count(String name, String standard, int min, int max, String help) {
    return new Setting<>(name, standard, Integer.class, min + " to " + max, help,
        text -> Optional.of(text).filter(it -> it.matches("0|[1-9]\\d{0,8}")).map(Integer::valueOf)
            .filter(count -> count >= min && count <= max));
  }

  private static Setting<Duration> age(String name, String standard, String help) {
    return span(name, standard, Duration.ZERO, LONGEST, "a time span like 90d, or 0", help);
  }

  private static Setting<Duration> hours(String name, String standard, String help) {
    return new Setting<>(name, standard, Duration.class, "a time span of at least 1h, or 0", help,
        text -> TimeSpans.parse(text).filter(span -> span.isZero()
            || (span.compareTo(Duration.ofHours(1)) >= 0 && span.compareTo(LONGEST) <= 0)));
  }

  private static Setting<Duration> span(String name, String standard, Duration min, Duration max, String allowed,
      String help) {
    return new Setting<>(name, standard, Duration.class, allowed, help,
        text -> TimeSpans.parse(text).filter(span -> span.compareTo(min) >= 0 && span.compareTo(max) <= 0));
  }

  private static Setting<Long> size(String name, String standard, String help) {
    return new Setting<>(name, standard, Long.class, "a number of bytes like 64MB or 1GB", help, Settings::bytes);
  }

  private static Optional<Long> bytes(String text) {
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(size.group(1));
    long factor = UNITS.getOrDefault(String.valueOf(size.group(2)), 1L);
    return number < 1 || number > MOST_BYTES / factor ? Optional.empty() : Optional.of(number * factor);
  }
}

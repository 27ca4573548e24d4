package fleet.tower.service.config;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

import fleet.tower.home.Settings;
import jakarta.validation.Valid;

/**
 * The settings below {@code tower} as Spring binds them from {@link SharedSettings}. {@link Settings} has their standard
 * values, ranges and descriptions.
 */
@Validated
@ConfigurationProperties(prefix = "tower", ignoreUnknownFields = false)
record TowerProperties(@Nullable String home, @Nullable String hostId,
    @Allowed("labels") @Nullable String labels, boolean insecureFiles, @Valid Lock lock,
    @Valid @Nullable Database database, @Valid Shutdown shutdown, @Valid Heartbeat heartbeat, @Valid Queue queue,
    @Valid Runs runs, @Valid Calls calls, @Valid Callers callers, @Nullable Http http, @Valid Mcp mcp, Console console,
    @Valid Oidc oidc,
    @Valid Disk disk, @Valid Mailboxes mailboxes,
    @Valid Retention retention, @Valid Locks locks, @Valid Tokens tokens,
    Audit audit, Log log) {

  record Lock(boolean insecureDirectory, @Allowed("lock.store") @Nullable String store) {}

  record Database(@Nullable String url) {}

  record Shutdown(@Allowed("shutdown.grace") TimeSpan grace) {}

  record Heartbeat(@Allowed("heartbeat.max-interval") TimeSpan maxInterval) {}

  record Queue(@Allowed("queue.workers") int workers, @Allowed("queue.stalled-after") TimeSpan stalledAfter,
      @Allowed("queue.lease") TimeSpan lease) {}

  record Runs(@Allowed("runs.max-concurrent") int maxConcurrent, @Allowed("runs.keep-at-most") int keepAtMost,
      @Allowed("runs.max-output-per-step") @Nullable DataSize maxOutputPerStep) {}

  record Calls(@Allowed("calls.max-waiting") int maxWaiting, @Allowed("calls.token-timeout") TimeSpan tokenTimeout) {}

  record Callers(@Allowed("callers.max-share") int maxShare) {}

  record Http(List<String> trustedProxies) {}

  record Mcp(boolean enabled, @Allowed("mcp.tools") String tools, @Allowed("mcp.task-after") TimeSpan taskAfter,
      @Allowed("mcp.answer-within") TimeSpan answerWithin, @Allowed("mcp.resource") @Nullable String resource,
      @Nullable List<String> allowedOrigins, @Nullable List<String> allowedHosts) {}

  record Console(@Nullable String clientId, @Nullable String scope) {}

  record Oidc(@Allowed("oidc.roles-claim") String rolesClaim, String rolePrefix) {}

  record Disk(DataSize reserve) {}

  record Mailboxes(@Allowed("mailboxes.max-messages") int maxMessages, DataSize maxBytes) {}

  record Retention(@Allowed("retention.runs") TimeSpan runs, @Allowed("retention.audit") TimeSpan audit) {}

  record Locks(@Allowed("locks.keep-unused") TimeSpan keepUnused) {}

  record Tokens(@Allowed("tokens.lifetime") TimeSpan lifetime) {}

  record Audit(boolean renewals) {}

  record Log(Format format) {
    /** The forms of the service's log. */
    enum Format {
      PLAIN, ECS, LOGSTASH, GELF;

      @Override
      public String toString() {
        return name().toLowerCase(Locale.ROOT);
      }
    }
  }
}

package fleet.tower.service.config.log;

import static java.util.Objects.requireNonNull;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditListener;
import fleet.tower.audit.EventNames;
import fleet.tower.home.HomeListener;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.TraceContext;
import fleet.tower.run.Tracing;

/**
 * A log of one JSON object a line, by the Elastic Common Schema: every event of the audit log, what the service says in words,
 * and what its libraries log. What a line is about stands in {@code tower.request_id}, {@code tower.lock_name} and
 * {@code tower.intent}, as far as it is about one, and the trace of a run in {@code trace.id} and {@code span.id}.
 */
public final class EcsLog {
  private static final String VERSION = "8.11";
  private static final int MOST_TRACES = 10_000;
  private static final String WARNING = "tower: warning: ";
  /** How those who warn of a run, or of one of its steps, begin. */
  private static final Pattern OF_RUN = Pattern
      .compile("run ([A-Za-z0-9][A-Za-z0-9._:-]{0,127})(?:, .*| of ([a-z0-9-]+) .*)");

  private final Console to;
  private final TimeSource time;
  /** Of the runs that this process has, the newest; one that never ends must not fill the memory. */
  private final Map<RequestId, TraceContext> traces = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<RequestId, TraceContext> eldest) {
      return size() > MOST_TRACES;
    }
  };

  public EcsLog(Console to, TimeSource time) {
    this.to = requireNonNull(to);
    this.time = requireNonNull(time);
  }

  /** A console whose lines are lines of this log. */
  public Console console() {
    return new Console(new Lines(), new Lines());
  }

  /** From now on what libraries log in this process comes here too. */
  public void takeOver() {
    for (Handler handler : LogManager.getLogManager().getLogger("").getHandlers()) {
      handler.setFormatter(new Lined());
    }
  }

  /** Has every event told here, and with those of a run in which trace it is. */
  public HomeListener listener(Tracing tracing) {
    return new HomeListener(new AuditListener() {
      @Override
      public void written(AuditEvent event) {
        EcsLog.this.event(event);
      }

      @Override
      public void lost(AuditEvent event) {
        EcsLog.this.event(event);
      }
    }, Locks.Listener.NONE, new RunListener() {
      @Override
      public void begun(Run run) {
        TraceContext trace = tracing.ofRun(run.header());
        if (trace != null) {
          synchronized (traces) {
            traces.put(run.requestId(), trace);
          }
        }
      }
    }, Tracing.NONE);
  }

  private void event(AuditEvent event) {
    String name = EventNames.of(event);
    LeaseName lock = event.lockName();
    JsonWriter json = start(event.timestamp(), "INFO", name + (lock == null ? "" : " " + lock))
        .put("event.action", name).put("event.kind", "event");
    write(about(json, event.requestId(), lock, event.intent()).end());
    if (event instanceof AuditEvent.RunFinished finished) {
      synchronized (traces) {
        traces.remove(finished.requestId());
      }
    }
  }

  private void words(String line) {
    boolean isWarning = line.startsWith(WARNING);
    String message = isWarning ? line.substring(WARNING.length()) : line.replaceFirst("^tower: ", "");
    JsonWriter json = start(time.now(), isWarning ? "WARN" : "INFO", message);
    Matcher run = OF_RUN.matcher(message);
    if (run.matches()) {
      json = about(json, new RequestId(run.group(1)), null, run.group(2));
    }
    write(json.end());
  }

  private static JsonWriter start(Instant at, String level, String message) {
    return JsonWriter.line().put("@timestamp", Timestamps.format(at)).put("log.level", level).put("message", message)
        .put("ecs.version", VERSION).put("service.name", "tower-executor");
  }

  private JsonWriter about(JsonWriter json, @Nullable RequestId request, @Nullable LeaseName lock,
      @Nullable String intent) {
    JsonWriter with = request == null ? json : traced(json.put("tower.request_id", request.value()), request);
    with = lock == null ? with : with.put("tower.lock_name", lock.value());
    return intent == null ? with : with.put("tower.intent", intent);
  }

  private JsonWriter traced(JsonWriter json, RequestId request) {
    TraceContext trace;
    synchronized (traces) {
      trace = traces.get(request);
    }
    return trace == null ? json : json.put("trace.id", trace.traceId()).put("span.id", trace.spanId());
  }

  private synchronized void write(String line) {
    to.json(line);
  }

  /** What is printed line by line, each becoming one of the log. */
  private final class Lines extends PrintStream {
    Lines() {
      super(java.io.OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    }

    @Override
    public void println(String line) {
      words(line);
    }
  }

  /** What libraries log. */
  private static final class Lined extends Formatter {
    @Override
    public String format(LogRecord entry) {
      JsonWriter json = start(entry.getInstant(), level(entry.getLevel().intValue()), formatMessage(entry))
          .put("log.logger", entry.getLoggerName());
      Throwable thrown = entry.getThrown();
      return (thrown == null
          ? json
          : json.put("error.type", thrown.getClass().getName()).put("error.message", thrown.getMessage())
              .put("error.stack_trace", trace(thrown)))
          .end() + "\n";
    }

    private static String level(int level) {
      return level >= java.util.logging.Level.SEVERE.intValue()
          ? "ERROR"
          : level >= java.util.logging.Level.WARNING.intValue() ? "WARN" : "INFO";
    }

    private static String trace(Throwable thrown) {
      StringBuilder text = new StringBuilder();
      for (Throwable at = thrown; at != null; at = at.getCause()) {
        text.append(text.isEmpty() ? "" : "Caused by: ").append(at).append('\n');
        for (StackTraceElement frame : at.getStackTrace()) {
          text.append("\tat ").append(frame).append('\n');
        }
      }
      return text.toString();
    }
  }
}

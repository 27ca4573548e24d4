package fleet.tower.service.config;

import static java.util.Objects.requireNonNull;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.springframework.boot.logging.logback.StructuredLogEncoder;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditListener;
import fleet.tower.audit.EventNames;
import fleet.tower.home.Home;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.TraceContext;
import fleet.tower.run.Tracing;

/**
 * The structured log of the service: one JSON object a line for every event of the audit log, every message of the
 * service, and every log line of its libraries, in one of the formats of Spring Boot. {@code tower.request_id}, {@code
 * tower.lock_name} and {@code tower.intent} name the subject of a line, and {@code trace.id} and {@code span.id} the
 * trace of a run.
 */
public final class ServiceLog {
  private static final int MOST_TRACES = 10_000;
  private static final String WARNING = "tower: warning: ";
  /** The beginning of warnings about a run, or about one of its steps. */
  private static final Pattern OF_RUN = Pattern
      .compile("run ([A-Za-z0-9][A-Za-z0-9._:-]{0,127})(?:, .*| of ([a-z0-9-]+) .*)");

  private final Logger log;
  /** The traces of the newest runs of this process; bounded, because runs that never end must not fill the memory. */
  private final Map<RequestId, TraceContext> traces = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<RequestId, TraceContext> eldest) {
      return size() > MOST_TRACES;
    }
  };

  /**
   * Has Logback write all log lines of this process to a console.
   *
   * @param format one of Spring Boot's: ecs, logstash or gelf
   */
  public ServiceLog(Console to, String format) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    StructuredLogEncoder encoder = new StructuredLogEncoder();
    encoder.setContext(context);
    encoder.setFormat(format);
    encoder.start();
    ConsoleAppender appender = new ConsoleAppender(to, encoder);
    appender.setContext(context);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(appender);
    this.log = context.getLogger("tower");
  }

  /** A console whose lines are lines of this log. */
  public Console console() {
    return new Console(new Lines(), new Lines());
  }

  /** Logs every event, and the trace with the events of a run. */
  public Home.Listener listener(Tracing tracing) {
    return new Home.Listener(new AuditListener() {
      @Override
      public void written(AuditEvent event) {
        ServiceLog.this.event(event);
      }

      @Override
      public void lost(AuditEvent event) {
        ServiceLog.this.event(event);
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
    LoggingEventBuilder line = log.atInfo().addKeyValue("event.action", name).addKeyValue("event.kind", "event")
        .addKeyValue("event.created", Timestamps.format(event.timestamp()));
    about(line, event.requestId(), lock, event.intent()).log(name + (lock == null ? "" : " " + lock));
    if (event instanceof AuditEvent.RunFinished finished) {
      synchronized (traces) {
        traces.remove(finished.requestId());
      }
    }
  }

  private void words(String line) {
    boolean isWarning = line.startsWith(WARNING);
    String message = isWarning ? line.substring(WARNING.length()) : line.replaceFirst("^tower: ", "");
    Matcher run = OF_RUN.matcher(message);
    LoggingEventBuilder words = isWarning ? log.atWarn() : log.atInfo();
    (run.matches() ? about(words, new RequestId(run.group(1)), null, run.group(2)) : words).log(message);
  }

  private LoggingEventBuilder about(LoggingEventBuilder line, @Nullable RequestId request, @Nullable LeaseName lock,
      @Nullable String intent) {
    LoggingEventBuilder with = line;
    if (request != null) {
      with = with.addKeyValue("tower.request_id", request.value());
      TraceContext trace;
      synchronized (traces) {
        trace = traces.get(request);
      }
      if (trace != null) {
        with = with.addKeyValue("trace.id", trace.traceId()).addKeyValue("span.id", trace.spanId());
      }
    }
    with = lock == null ? with : with.addKeyValue("tower.lock_name", lock.value());
    return intent == null ? with : with.addKeyValue("tower.intent", intent);
  }

  /** Each printed line becomes a line of the log. */
  private final class Lines extends PrintStream {
    Lines() {
      super(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    }

    @Override
    public void println(@Nullable String line) {
      words(requireNonNull(line));
    }
  }

  /** Writes to a console of ours, which shows control characters. */
  private static final class ConsoleAppender extends AppenderBase<ILoggingEvent> {
    private final Console to;
    private final StructuredLogEncoder encoder;

    ConsoleAppender(Console to, StructuredLogEncoder encoder) {
      this.to = to;
      this.encoder = encoder;
    }

    @Override
    protected void append(ILoggingEvent event) {
      to.json(new String(encoder.encode(event), StandardCharsets.UTF_8).stripTrailing());
    }
  }
}

package fleet.tower.run;

import org.jspecify.annotations.Nullable;

/** Which spans of a trace a run and its steps are. It is quick, and throws nothing. */
public interface Tracing {
  /** No spans are made: what the caller said is handed on as it came, so that nothing stands between his span and those of the steps. */
  Tracing NONE = new Tracing() {
    @Override
    public @Nullable TraceContext ofRun(Run.Header header) {
      return header.origin().trace();
    }

    @Override
    public @Nullable TraceContext ofStep(Run.Header header, String logName) {
      return header.origin().trace();
    }
  };

  /** Where a run stands; null for in no trace. */
  @Nullable
  TraceContext ofRun(Run.Header header);

  /** Where a step stands, or what undoes one, so that it can put its own spans below; null for in no trace. */
  @Nullable
  TraceContext ofStep(Run.Header header, String logName);
}

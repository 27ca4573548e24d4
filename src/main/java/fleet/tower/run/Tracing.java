package fleet.tower.run;

import org.jspecify.annotations.Nullable;

/** The trace contexts of runs and their steps. Calls return at once and throw nothing. */
public interface Tracing {
  /**
   * Creates no spans: steps get the caller's context unchanged, so that their spans are children of the caller's span.
   */
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

  /** The context of a run; null if it has no trace. */
  @Nullable
  TraceContext ofRun(Run.Header header);

  /** The context of a step or rollback step, under which it creates its own spans; null if it has no trace. */
  @Nullable
  TraceContext ofStep(Run.Header header, String logName);
}

package fleet.tower.service.call.run;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.service.call.Needs;

/** Calls that read the stored output of runs: a window of lines, a search, a download. Positions are bytes. */
public final class RunOutputCalls {
  public static final int DEFAULT_LINES = 500;
  public static final int MAX_LINES = 2000;
  public static final int DEFAULT_MATCHES = 100;
  public static final int MAX_MATCHES = 1000;
  private static final int MAX_QUERY = 1000;

  private final RunCalls runs;
  private final StepLogs logs;
  private final TimeSource time;

  public RunOutputCalls(RunCalls runs, StepLogs logs, TimeSource time) {
    this.runs = runs;
    this.logs = logs;
    this.time = time;
  }

  /**
   * The window that a caller wants.
   *
   * @param offset where it begins, counted from the end if negative; null for the beginning, or with {@code before}
   * @param before where it ends; null if it begins at {@code offset}
   */
  public record WindowCall(@Nullable Long offset, @Nullable Long before, int lines) {
    public WindowCall {
      if (offset != null && before != null) {
        throw CommonProblems.invalid("before", "'offset' and 'before' exclude each other",
            "give 'offset' to continue from there, or 'before' to read what precedes it");
      }
    }
  }

  /** What a caller searches for, and from which position. */
  public record SearchCall(String text, boolean isExact, long offset, int limit) {
    public SearchCall {
      if (text.length() > MAX_QUERY || text.chars().anyMatch(c -> c != '\t' && Character.isISOControl(c))) {
        throw CommonProblems.invalid("q", "'q' must be text of at most " + MAX_QUERY + " characters on one line",
            "search a part of one line");
      }
    }
  }

  /** A window of lines of a step's output. */
  @Needs(Role.VIEWER)
  public Answer window(String id, @Nullable String step, WindowCall call) {
    Chosen chosen = choose(id, step);
    StepOutput output = chosen.output();
    long offset = call.offset() == null ? 0 : call.offset();
    StepOutput.Window window = call.before() == null
        ? output.from(within("offset", offset < 0 ? Math.max(0, output.size() + offset) : offset, output), call.lines())
        : output.before(within("before", call.before(), output), call.lines());
    return Answer.ok(noted(chosen.json().put("size", output.size()).put("offset", window.offset())
        .put("next", window.next()).put("finished", output.isComplete())
        .list("lines", window.lines().stream().map(RunOutputCalls::line).toList()), chosen));
  }

  /** The lines with a text. */
  @Needs(Role.VIEWER)
  public Answer search(String id, @Nullable String step, SearchCall call) {
    Chosen chosen = choose(id, step);
    StepOutput output = chosen.output();
    OutputSearch.Found found = new OutputSearch(output, call.text(), call.isExact(), call.limit(), time)
        .from(within("offset", call.offset(), output));
    JsonWriter json = chosen.json().put("q", call.text()).put("size", output.size()).list("matches",
        found.matches().stream().map(line -> located(line).end()).toList());
    return Answer.ok(noted(found.next() == null ? json.raw("next", "null") : json.put("next", found.next()), chosen));
  }

  /** The complete output of a step, or of all steps. */
  @Needs(Role.VIEWER)
  public OutputDownload download(String id, @Nullable String step) {
    Run run = runs.find(id).run();
    return new OutputDownload(run, step == null ? null : named(run, step), logs);
  }

  /** The output of one step of a run; of none if no step has begun. */
  private record Chosen(Run run, @Nullable StepRecord step, StepOutput output) {
    JsonWriter json() {
      return JsonWriter.line().put("request_id", run.requestId().value())
          .put("step", step == null ? null : step.logName());
    }
  }

  private Chosen choose(String id, @Nullable String name) {
    Run run = runs.find(id).run();
    List<StepRecord> begun = run.begun();
    StepRecord step = name != null ? named(run, name) : begun.isEmpty() ? null : begun.getLast();
    if (step == null || !step.hasBegun()) {
      boolean isComplete = run.status().isFinished() || (step != null && step.isFinished());
      return new Chosen(run, step, new StepOutput((_, _) -> new byte[0], 0, isComplete));
    }
    String log = step.logName();
    long size = logs.size(run.requestId(), log);
    return new Chosen(run, step, new StepOutput((from, max) -> logs.read(run.requestId(), log, from, max).bytes(),
        size, step.isComplete(run.status(), size)));
  }

  private static StepRecord named(Run run, String name) {
    List<StepRecord> all = Stream.concat(run.progress().steps().stream(), run.progress().rollback().stream()).toList();
    List<String> names = all.stream().map(StepRecord::logName).toList();
    return all.stream().filter(step -> step.logName().equals(name)).findFirst()
        .orElseThrow(() -> CommonProblems.invalid("step", "the run has no step " + InvalidValue.shown(name),
            Nearest.of(name, names).map(near -> "did you mean " + near + "?")
                .orElse("use one of " + String.join(", ", names))));
  }

  private static long within(String member, long position, StepOutput output) {
    if (position > output.size()) {
      throw CommonProblems.invalid(member,
          "'" + member + "' " + position + " is beyond the end of the output, which has "
              + output.size() + " bytes",
          "use a position from 0 to " + output.size());
    }
    return position;
  }

  private JsonWriter noted(JsonWriter json, Chosen chosen) {
    StepRecord step = chosen.step();
    if (step == null || !step.hasBegun()) {
      return json.put("note", (step == null ? "no step has begun" : "step " + step.logName() + " has not begun")
          + "; the run is " + chosen.run().status());
    }
    logs.missing(chosen.run(), step)
        .ifPresent(missing -> (missing.isLost() ? json.put("lost", true) : json).put("note", missing.note()));
    return json;
  }

  private static String line(StepOutput.Line line) {
    JsonWriter json = located(line);
    if (line.isCut()) {
      json.put("cut", true);
    }
    return (line.isOpen() ? json.put("open", true) : json).end();
  }

  private static JsonWriter located(StepOutput.Line line) {
    return JsonWriter.line().put("offset", line.offset()).put("text", line.text());
  }
}

package fleet.tower.operation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Plan;
import fleet.tower.run.submit.RunWait;
import fleet.tower.run.submit.Settlements;
import fleet.tower.run.submit.SubmitOutcome;

/** The outcome of a call about intents or runs. */
public sealed interface RunCallOutcome extends Outcome {

  /** All intents, and the mistakes in their files. Those that the caller may not run explain locks and runs. */
  record Intents(List<Intent> all, List<Catalogue.Complaint> complaints, Caller caller) implements RunCallOutcome {}

  /** An intent. */
  record OneIntent(Intent intent, Caller caller) implements RunCallOutcome {}

  /** A plan. */
  record Planned(Plan plan) implements RunCallOutcome {}

  /**
   * A request for a run or a plan that was refused; nothing was started.
   *
   * @param mistakes those in the file of an intent that is unknown because of them
   * @param accepts whether the caller may run an intent with the parameters of the request
   */
  record Refused(SubmitOutcome.Refusal why, String intent, List<Catalogue.Complaint> mistakes,
      Predicate<String> accepts) implements RunCallOutcome {

    /**
     * A request that was refused.
     *
     * @param allows whether the caller may run an intent with some values
     */
    public static Refused of(SubmitOutcome.Refusal why, String intent, Map<String, Values.Given> params,
        Catalogue catalogue, BiPredicate<String, Map<String, String>> allows) {
      return new Refused(why, intent, catalogue.complaints().stream()
          .filter(complaint -> complaint.isError() && intent.equals(complaint.intent())).toList(),
          name -> catalogue.find(name)
              .filter(it -> Values.read(it.params(), params) instanceof Values.Accepted(Values values)
                  && allows.test(name, values.texts()))
              .isPresent());
    }

    /** The same on the files of a home, where nothing is limited. */
    public static Refused of(SubmitOutcome.Refusal why, String intent, Map<String, Values.Given> params,
        Catalogue catalogue) {
      return of(why, intent, params, catalogue, (_, _) -> true);
    }
  }

  /**
   * A run that was requested.
   *
   * @param isReplay whether the request was a repeated one
   * @param preference how long its answer was delayed
   */
  record Submitted(Seen seen, boolean isReplay, Preference preference) implements RunCallOutcome {}

  /**
   * A run at one moment.
   *
   * @param waiting what it waits for, if that was read
   */
  record Seen(Run run, RunHandle handle, StepLogs logs, Optional<RunWait> waiting) {
    /** A run of which the wait is not read. */
    public Seen(RunHandle handle, StepLogs logs) {
      this(handle.run(), handle, logs, Optional.empty());
    }

    /** The number of requests before it in line; empty if it is in none. */
    public OptionalInt before() {
      return waiting.isEmpty()
          ? handle.position()
          : waiting.get() instanceof RunWait.ForLock(var _, var ahead, boolean isInQueue) && isInQueue
              ? OptionalInt.of(ahead.size())
              : OptionalInt.empty();
    }
  }

  /** A page of runs, the newest first. */
  record Listed(Page page, Rows rows) implements RunCallOutcome {}

  /** Passes the rows of a page, and one more if there is one, to a reader until it returns false. */
  @FunctionalInterface
  interface Rows {
    void read(Predicate<Placed<Run>> reader);
  }

  /** A run, after its answer was delayed as the caller preferred. */
  record Viewed(Seen seen, Preference preference) implements RunCallOutcome {}

  /** A run that is being cancelled. */
  record Cancelling(Seen seen) implements RunCallOutcome {}

  /**
   * What the probe of an intent sees.
   *
   * @param desired the state that must hold after a run, as JSON; null if the intent names none
   */
  record Looked(String intent, Observation seen, @Nullable String desired) implements RunCallOutcome {}

  /** The intent has no probe. */
  record NoProbe(String intent) implements RunCallOutcome {}

  /** What became of a run whose end nobody saw. */
  record Settled(Settlements.Answered answered) implements RunCallOutcome {}

  /** A run whose end is known, or still to come, so that there is nothing to settle. */
  record EndKnown(Run run) implements RunCallOutcome {}

  /** A progress report; {@code isNeeded} is false if the run does not depend on them. */
  record Beaten(RequestId id, boolean isNeeded) implements RunCallOutcome {}

  /** A run that has ended, so that it cannot be cancelled. */
  record Ended(Run run) implements RunCallOutcome {}

  /** A run that has ended, so that it needs no progress reports. */
  record TooLate(RequestId id) implements RunCallOutcome {}

  /** There is no such run. */
  record NotFound(RequestId id) implements RunCallOutcome {}

  /** Lines of the output of a step. */
  record Lines(Chosen of, StepOutput.Window window) implements RunCallOutcome {}

  /** The lines of a step's output that contain a text. */
  record Matches(Chosen of, String text, OutputSearch.Found found) implements RunCallOutcome {}

  /**
   * The output of one step of a run.
   *
   * @param step null if no step has begun
   */
  record Chosen(Run run, @Nullable StepRecord step, StepOutput output, Optional<StepLogs.MissingOutput> missing) {}

  /** A step that the run does not have. */
  record NoStep(String name, List<String> known) implements RunCallOutcome {}

  /** A position that is beyond the end of the output. */
  record BeyondEnd(String member, long position, long size) implements RunCallOutcome {}

  /** A window with two places to begin. */
  record BothEnds() implements RunCallOutcome {}
}

package fleet.tower.run.submit;

/** The outcome of a heartbeat for a run from outside. */
public sealed interface BeatOutcome {

  /** The heartbeat counts as progress. */
  record Recorded() implements BeatOutcome {}

  /** The run needs no heartbeats: it waits, or its intent does not require progress. */
  record NotNeeded() implements BeatOutcome {}

  /** The run had already finished. */
  record Finished() implements BeatOutcome {}

  /** There is no such run. */
  record NotFound() implements BeatOutcome {}
}

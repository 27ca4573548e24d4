package fleet.tower.home.move;

import java.util.List;

/** The outcome of a move, or of its undoing. */
public sealed interface MoveOutcome {

  /** The home is in the database. */
  record Moved(MoveReport report) implements MoveOutcome {}

  /** Nothing prevents the move; nothing was changed. */
  record Possible(MoveReport report) implements MoveOutcome {}

  /** The home is in use, or has what cannot be moved; it stays as it is. */
  record Busy(List<String> reasons) implements MoveOutcome {}

  /** The database has other things of the same names; the home stays as it is. */
  record Clashing(List<String> clashes) implements MoveOutcome {}

  /** The home was moved before. */
  record AlreadyMoved(MoveMark mark) implements MoveOutcome {}

  /** A move to another database has started. */
  record Begun(MoveMark mark) implements MoveOutcome {}

  /** Another process moves the home right now. */
  record InProgress() implements MoveOutcome {}

  /** The move was undone. */
  record Undone(MoveMark mark) implements MoveOutcome {}

  /** There is no move to undo. */
  record NothingToUndo() implements MoveOutcome {}
}

package fleet.tower.home.move;

/** The steps of a move and of its undoing, each reported when it is durable. */
public enum MoveStep {
  SURVEYED("the home and the database were checked"), //
  DRAINING("the home starts no new work"), //
  MARKED("the home is marked as moving"), //
  LOCKS_FROZEN("its locks are frozen"), //
  FROZEN("its database is frozen"), //
  COPYING("the copy begins"), //
  COPIED("the copy is complete and verified, but not committed"), //
  COMMITTED("the copy is committed"), //
  MOVED("the home is marked as moved"), //
  UNDOING("the move can no longer be completed"), //
  DATABASE_RESUMED("its database is in use again"), //
  UNDONE("the home is in use again");

  private final String sentence;

  MoveStep(String sentence) {
    this.sentence = sentence;
  }

  /** The step, for people. */
  public String sentence() {
    return sentence;
  }
}

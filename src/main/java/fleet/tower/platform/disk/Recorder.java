package fleet.tower.platform.disk;

import org.jspecify.annotations.Nullable;

/** The journal of a home, for changes of files that another part of the program owns. */
public interface Recorder {
  /** There is no journal: each file is synced separately. */
  Recorder NONE = _ -> null;

  /**
   * Records a change that has already been made. The change is durable once the record is synced.
   *
   * @param record one JSON object without the member {@code lock}
   * @return null if that is impossible; then the changed file has to be synced
   */
  Journal.@Nullable Entry append(String record);
}

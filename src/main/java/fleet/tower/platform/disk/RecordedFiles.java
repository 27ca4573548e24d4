package fleet.tower.platform.disk;

import java.io.IOException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The files whose changes are recorded through a {@link Recorder}. */
public interface RecordedFiles {
  /** There are none. */
  RecordedFiles NONE = new RecordedFiles() {
    @Override
    public void restore(List<String> records) {
      // There are no such records.
    }

    @Override
    public void sync() {
      // There are no such files.
    }
  };

  /**
   * Makes changes again that a power cut has lost, durably. Called on another boot, before the first change on it; may
   * be called again with the same records.
   *
   * @param records all records of the journal, in order
   */
  void restore(List<String> records) throws IOException;

  /** Makes all changes durable that were recorded so far by any process. */
  void sync() throws IOException;

  /** The journal of a home, for changes of files that another part of the program owns. */
  interface Recorder {
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
}

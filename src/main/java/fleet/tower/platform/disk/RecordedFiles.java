package fleet.tower.platform.disk;

import java.io.IOException;
import java.util.List;

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
}

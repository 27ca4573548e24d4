package fleet.tower.run.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.run.Run;

/**
 * The begin and the end of runs in a journal, so that a run, its lock and its audit events share a sync. A record is a
 * JSON object with the member {@code run}: the row of a run that begins, its end, or its removal.
 */
record RunRecords(Recorder recorder) {
  private static final String RUN = "run";
  /** A row of the same id, if the recorded run replaced it. */
  private static final String REPLACE = """
      DELETE FROM runs WHERE request_id = ? AND created_at < ? AND (refused = 1 OR finished_at IS NULL)""";
  private static final String END = """
      UPDATE runs SET status = :status, refused = :refused, finished_at = :finished_at, document = :document \
      WHERE request_id = :id AND created_at = :created_at AND finished_at IS NULL""";
  private static final String REMOVE = "DELETE FROM runs WHERE request_id = ?";
  /** Changes nothing, but makes the database sync what was committed before. */
  private static final String TOUCH = "UPDATE runs SET status = status WHERE sequence = (SELECT MAX(sequence) FROM runs)";

  static String ended(Run run, String document) {
    return JsonWriter.line().put(RUN, run.requestId().value()).put("ended", run.header().createdAt().toEpochMilli())
        .put("status", run.status().toString()).put("refused", RunRow.refused(run))
        .put("finished_at", run.finishedAt() == null ? 0 : run.finishedAt().toEpochMilli())
        .put("document", document).end();
  }

  /** Writes a change and its record; durable when this returns, or at the end of what this thread does together. */
  <T> T write(Database database, Database.Work<T> work, Function<T, @Nullable String> recordOf) {
    if (recorder.equals(Recorder.NONE)) {
      return database.writeDurably(work);
    }
    T outcome = database.writeSwiftly(work);
    String record = recordOf.apply(outcome);
    if (record != null) {
      sync(database, recorder.append(record));
    }
    return outcome;
  }

  private static void sync(Database database, Journal.@Nullable Entry entry) {
    if (entry == null) {
      syncItself(database);
    } else {
      SyncGroup.sync(entry, _ -> syncItself(database));
    }
  }

  private static void syncItself(Database database) {
    database.writeDurably(session -> session.update(TOUCH));
  }

  /** A removal need not be durable: a run that returns is removed again, or was never begun. */
  void removed(RequestId id) {
    recorder.append(JsonWriter.line().put(RUN, id.value()).put("removed", true).end());
  }

  /** Makes the changes again that the database has lost. */
  static void restore(Database database, List<String> records) {
    List<JsonObject> runs = new ArrayList<>();
    for (String record : records) {
      try {
        JsonObject json = JsonReader.readObject(record);
        if (json.text(RUN).isPresent()) {
          runs.add(json);
        }
      } catch (JsonException damaged) {
        throw new StorageException("the journal has a record that this version cannot read: " + record, damaged);
      }
    }
    if (!runs.isEmpty()) {
      database.writeDurably(session -> {
        for (JsonObject run : runs) {
          restore(session, run);
        }
        return session.update(TOUCH);
      });
    }
  }

  private static void restore(Session session, JsonObject json) throws SQLException {
    String id = json.requiredText(RUN);
    if (json.get("removed") != null) {
      session.update(REMOVE, id);
    } else if (json.get("ended") != null) {
      session.update(END, new NamedValues().put("status", json.requiredText("status"))
          .put("refused", json.requiredInteger("refused"))
          .put("finished_at", json.requiredInteger("finished_at"))
          .put("document", json.requiredText("document")).put("id", id)
          .put("created_at", json.requiredInteger("ended")));
    } else {
      RunRow row = RunRow.of(json);
      session.update(REPLACE, id, row.createdAt());
      boolean _ = row.isInserted(session);
    }
  }
}

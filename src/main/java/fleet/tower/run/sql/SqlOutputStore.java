package fleet.tower.run.sql;

import java.io.ByteArrayOutputStream;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.run.OutputStore;

/** The output of steps as rows of a table, each with a part of a log. */
final class SqlOutputStore implements OutputStore {
  private static final String TOPIC = "output";
  /** A part that begins where another one does replaces it if it is longer, so that no gap follows. */
  private static final String APPEND = """
      INSERT INTO run_output (request_id, step_log, start_at, bytes) \
      SELECT part.request_id, part.step_log, part.start_at, part.bytes \
      FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]), CAST(? AS BYTEA[])) \
      AS part (request_id, step_log, start_at, bytes) \
      WHERE EXISTS (SELECT 1 FROM runs WHERE runs.request_id = part.request_id) \
      ON CONFLICT (request_id, step_log, start_at) DO UPDATE SET bytes = excluded.bytes \
      WHERE octet_length(excluded.bytes) > octet_length(run_output.bytes)""";
  /** A part that contains a position begins at most a chunk before it. */
  private static final String READ = """
      SELECT start_at, bytes FROM run_output WHERE request_id = ? AND step_log = ? \
      AND start_at > ? AND start_at < ? ORDER BY start_at""";
  private static final String SIZE = """
      SELECT MAX(start_at + octet_length(bytes)) FROM run_output WHERE request_id = :id AND step_log = :log \
      AND start_at > (SELECT MAX(start_at) FROM run_output WHERE request_id = :id AND step_log = :log) - :chunk""";
  private static final String SIZES = """
      SELECT request_id, step_log, MAX(start_at + octet_length(bytes)) FROM run_output \
      WHERE request_id = ANY (CAST(? AS TEXT[])) GROUP BY request_id, step_log""";

  private final Database database;

  SqlOutputStore(Database database) {
    this.database = database;
  }

  @Override
  public void append(List<Chunk> chunks) {
    String[] ids = chunks.stream().map(chunk -> chunk.requestId().value()).toArray(String[]::new);
    String[] logs = chunks.stream().map(Chunk::logName).toArray(String[]::new);
    long[] starts = chunks.stream().mapToLong(Chunk::start).toArray();
    byte[][] parts = chunks.stream().map(Chunk::bytes).toArray(byte[][]::new);
    database.writeSwiftly(session -> append(session, ids, logs, starts, parts));
  }

  private static boolean append(Session session, String[] ids, String[] logs, long[] starts, byte[][] parts)
      throws SQLException {
    session.update(APPEND, ids, logs, starts, parts);
    for (String id : List.of(ids).stream().distinct().toList()) {
      session.announce(TOPIC, id);
    }
    return true;
  }

  @Override
  public Output read(RequestId requestId, String logName, long from, int maxBytes) {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    Optional<List<Part>> parts = database.read(session -> session.query(READ,
        row -> new Part(row.getLong(1), row.getBytes(2)), requestId.value(), logName, from - CHUNK_BYTES,
        from + maxBytes));
    for (Part part : parts.orElse(List.of())) {
      long position = from + found.size();
      long end = Math.min(part.start() + part.bytes().length, from + maxBytes);
      if (part.start() <= position && end > position) {
        found.write(part.bytes(), (int) (position - part.start()), (int) (end - position));
      }
    }
    return new Output(found.toByteArray(), from + found.size());
  }

  private record Part(long start, byte[] bytes) {}

  @Override
  public long size(RequestId requestId, String logName) {
    NamedValues values = new NamedValues().put("id", requestId.value()).put("log", logName).put("chunk", CHUNK_BYTES);
    return database.read(session -> session.first(SIZE, row -> row.getLong(1), values))
        .flatMap(found -> found).orElse(0L);
  }

  @Override
  public Map<RequestId, Map<String, Long>> sizes(List<RequestId> requestIds) {
    Map<RequestId, Map<String, Long>> sizes = new HashMap<>();
    String[] ids = requestIds.stream().map(RequestId::value).toArray(String[]::new);
    database.read(session -> session.query(SIZES, row -> sizes
        .computeIfAbsent(new RequestId(row.getString(1)), _ -> new HashMap<>())
        .put(row.getString(2), row.getLong(3)) == null, (Object) ids));
    return sizes;
  }
}

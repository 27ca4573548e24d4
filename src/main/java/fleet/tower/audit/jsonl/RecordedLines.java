package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * The lines of the audit log that a journal has records of. A record is a JSON object: {@code audit} is the day, {@code
 * lines} the text.
 */
record RecordedLines(DayFiles days) implements RecordedFiles {
  private static final String DAY = "audit";
  private static final String LINES = "lines";
  /** A process may still write to the day before, shortly after midnight. */
  private static final int OPEN_DAYS = 2;

  static String record(LocalDate day, String lines) {
    return JsonWriter.line().put(DAY, day.toString()).put(LINES, lines).end();
  }

  /**
   * Appends the lines that the files have lost. A file of an earlier day than the last was synced when it was left, so
   * if it is missing, it was deleted.
   */
  @Override
  public void restore(List<String> records) throws IOException {
    NavigableMap<LocalDate, List<String>> recorded = new TreeMap<>();
    for (String record : records) {
      try {
        JsonObject json = JsonReader.readObject(record);
        json.text(DAY).ifPresent(day -> recorded.computeIfAbsent(LocalDate.parse(day), _ -> new ArrayList<>())
            .addAll(json.text(LINES).orElse("").lines().toList()));
      } catch (JsonException damaged) {
        throw new IOException("the journal has a record that this version cannot read: " + record, damaged);
      }
    }
    for (Map.Entry<LocalDate, List<String>> day : recorded.entrySet()) {
      Path file = days.of(day.getKey());
      if (Files.exists(file) || day.getKey().equals(recorded.lastKey())) {
        restore(file, day.getValue());
      }
    }
  }

  private static void restore(Path file, List<String> recorded) throws IOException {
    OwnerOnly.makeDirectories(file.resolveSibling(""));
    byte[] found = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    Map<String, Integer> present = new HashMap<>();
    new String(found, StandardCharsets.UTF_8).lines().forEach(line -> present.merge(line, 1, Integer::sum));
    StringBuilder missing = new StringBuilder(found.length > 0 && found[found.length - 1] != '\n' ? "\n" : "");
    for (String line : recorded) {
      if (present.merge(line, -1, Integer::sum) < 0) {
        missing.append(line).append('\n');
      }
    }
    try (FileChannel out = WrittenFile.open(file, Also.CREATE, Also.APPEND)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(missing.toString());
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    OwnerOnly.sync(file.resolveSibling(""));
  }

  @Override
  public void sync() throws IOException {
    List<Path> files = days.files();
    for (Path file : files.subList(Math.max(0, files.size() - OPEN_DAYS), files.size())) {
      OwnerOnly.sync(file);
    }
    if (!files.isEmpty()) {
      OwnerOnly.sync(days.directory());
    }
  }
}

package fleet.tower.audit.jsonl;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.ModeExamination;

/** Checks that the log can be written and that its newest file can be read. */
final class AuditExamination implements Examination {
  private static final String CHECK = "audit log";

  private final DayFiles days;

  AuditExamination(DayFiles days) {
    this.days = days;
  }

  @Override
  public List<Finding> examine() {
    Path directory = days.directory();
    try {
      if (!Files.exists(directory)) {
        return List.of(Finding.ok(CHECK, directory + " does not exist yet; the first event creates it"));
      }
      if (!Files.isWritable(directory)) {
        return List
            .of(Finding.fail(CHECK, directory + " cannot be written", "make it writable for the user that runs Tower"));
      }
      List<Path> files = days.files();
      List<Finding> findings = new ArrayList<>(new ModeExamination("audit log mode", directory).examine());
      findings.add(files.isEmpty() ? Finding.ok(CHECK, "no event yet") : examine(files.getLast()));
      return findings;
    } catch (IOException e) {
      return List
          .of(Finding.fail(CHECK, directory + " cannot be read: " + Errno.describe(e), "check its owner and mode"));
    }
  }

  private static Finding examine(Path file) throws IOException {
    long torn;
    try (BufferedReader lines = new BufferedReader(
        new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
      torn = lines.lines().filter(line -> !line.isBlank() && AuditLines.parse(line).isEmpty()).count();
    }
    if (torn == 0) {
      return Finding.ok(CHECK, file.getFileName() + " is intact");
    }
    return torn == 1
        ? Finding.warn(CHECK, "1 torn line in " + file,
            "no action needed; a crash or a full disk left it, and readers skip it")
        : Finding.warn(CHECK, torn + " torn lines in " + file,
            "no action needed; a crash or a full disk left them, and readers skip them");
  }
}

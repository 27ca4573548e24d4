package fleet.tower.audit.jsonl;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.AuditTrailContract;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The trail of a host's own files")
class JsonlTrailContractTest extends AuditTrailContract {
  private static AuditFiles files(Path directory) {
    return new AuditFiles(directory.resolve("audit"), SystemTime.scheduler(), warning -> {
      throw new AssertionError(warning);
    });
  }

  @Override
  protected AuditTrail trail(Path files) {
    return files(files).trail();
  }

  @Override
  protected AuditLog log(Path files) {
    return files(files).log();
  }
}

package fleet.tower.service.web;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("With locks on files, a visible request id gives no access to a lock")
class FileOwnershipTest extends OwnershipContract {
  FileOwnershipTest(@TempDir Path home) {
    super(home, "--tower.queue.workers=1");
  }
}

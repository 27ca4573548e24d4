package fleet.tower.service.web;

import org.junit.jupiter.api.DisplayName;

@DisplayName("With locks on files, a visible request id gives no access to a lock")
class FileOwnershipTest extends OwnershipContract {
  FileOwnershipTest() {
    super("--tower.queue.workers=1");
  }
}

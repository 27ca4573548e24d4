package fleet.tower.openapi;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.LongProfile;

@LongProfile
@ExtendWith(ThreeHosts.class)
@DisplayName("The calls of the document, made to a fleet whose host is picked at random")
class FleetOperationsTest {
  @Nested
  class Operations extends OperationsTest {
    Operations(@TempDir Path homes) throws IOException {
      super(homes);
    }
  }
}

package fleet.tower.run.process;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A step started by posix_spawn")
class NativeStartTest extends StepStartContract {
  NativeStartTest() {
    super(false);
  }
}

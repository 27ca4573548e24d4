package fleet.tower.run.process;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A step started through setsid")
class WrappedStartTest extends StepStartContract {
  WrappedStartTest() {
    super(true);
  }
}

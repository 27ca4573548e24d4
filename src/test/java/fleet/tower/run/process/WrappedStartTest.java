package fleet.tower.run.process;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.harness.ProofsProfile;

@DisplayName("A step started through setsid")
class WrappedStartTest extends StepStartContract {
  WrappedStartTest() {
    super(true);
  }
}

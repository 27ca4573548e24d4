package fleet.tower.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The bugs that are put into rooms on purpose are about the code as it is")
class MutantTextTest {

  @Test
  @DisplayName("Each piece that a mutant changes is in its file exactly once")
  void texts() {
    assertThat(RoomMutants.all()).allSatisfy(mutant -> assertThatCode(() -> mutant.mutation().source())
        .doesNotThrowAnyException());
  }
}

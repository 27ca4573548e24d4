package fleet.tower.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;

@DisplayName("Values of tasks")
class TaskValuesTest {

  @Test
  @DisplayName("VB-18 an agent's name is in lower case, without spaces around it")
  void agent() {
    assertThat(new Agent(" Builder-1 ")).isEqualTo(new Agent("builder-1")).hasToString("builder-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "a b", "a\nb", "a\0", "\ud800"})
  @DisplayName("VB-18 T14 an invalid name is rejected with the value")
  void noAgent(String name) {
    assertRefused(() -> new Agent(name), "agent '");
    assertRefused(() -> new Agent("x".repeat(129)), "agent '");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../../x", "a/b", "a b", "-a", "ä"})
  @DisplayName("T14 an invalid id is rejected before any query")
  void noTaskId(String id) {
    assertRefused(() -> new TaskId(id), "task id '");
    assertRefused(() -> new TaskId("x".repeat(300)), "task id '");
  }

  static Stream<ThrowingCallable> tooMuch() {
    return Stream.of(() -> TaskSpec.of(""), () -> TaskSpec.of(" "), () -> TaskSpec.of("x".repeat(257)),
        () -> TaskSpec.of("a\nb"),
        () -> TaskSpec.of("\udc00"),
        () -> new TaskSpec("t", "x".repeat(16 * 1024 + 1), 0, List.of(), null, null, null),
        () -> new TaskSpec("t", "\0", 0, List.of(), null, null, null),
        () -> new TaskSpec("t", "", 1_000_001, List.of(), null, null, null),
        () -> new TaskSpec("t", "", Integer.MIN_VALUE, List.of(), null, null, null),
        () -> new TaskSpec("t", "", 0, ids(257), null, null, null),
        () -> new TaskSpec("t", "", 0, List.of(), "", null, null),
        () -> new TaskSpec.Work("i", "[]"), () -> new TaskSpec.Work("i", "{"), () -> new TaskSpec.Work("", "{}"),
        () -> new TaskCommand.Claim("", TaskCommand.DEFAULT_TTL, false),
        () -> new TaskCommand.Release(new TaskId("t"), OptionalLong.of(0)),
        () -> new TaskCommand.Close(new TaskId("t"), OptionalLong.empty(), TaskCommand.Ending.BLOCKED,
            "x".repeat(257)));
  }

  private static List<TaskId> ids(int count) {
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(new TaskId("t" + i));
    }
    return ids;
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("VB-22 a text, a number or a list beyond its limit is rejected, not cut")
  void tooMuch(ThrowingCallable call) {
    assertThatExceptionOfType(InvalidValue.class).isThrownBy(call);
  }

  @Test
  @DisplayName("VB-5 the default is five minutes; a value out of range is rejected, not silently changed")
  void ttl() {
    assertThat(TaskCommand.DEFAULT_TTL.seconds()).isEqualTo(300);
    assertRefused(() -> new Ttl(0), "ttl 0 s");
  }

  @Test
  @DisplayName("VB-B5 two commands have the same arguments only if they request the same")
  void arguments() {
    TaskId id = new TaskId("t");
    List<TaskCommand> commands = List.of(new TaskCommand.Start(id, new Ttl(1), OptionalLong.empty()),
        new TaskCommand.Start(id, new Ttl(2), OptionalLong.empty()),
        new TaskCommand.Start(id, new Ttl(1), OptionalLong.of(1)), new TaskCommand.Claim("p", new Ttl(1), false),
        new TaskCommand.Claim(null, new Ttl(1), false), new TaskCommand.Create(null, TaskSpec.of("a")),
        new TaskCommand.Create(id, TaskSpec.of("a")), new TaskCommand.Create(null, TaskSpec.of("b")),
        new TaskCommand.Close(id, OptionalLong.empty(), TaskCommand.Ending.DONE, null),
        new TaskCommand.Close(id, OptionalLong.empty(), TaskCommand.Ending.DONE, "x"), new TaskCommand.Expire());
    List<String> all = commands.stream().map(TaskCommand::arguments).toList();
    assertThat(all).doesNotHaveDuplicates();
    assertThat(Collections.max(all)).startsWith("{");
  }

  private static void assertRefused(ThrowingCallable call, String beginning) {
    assertThatExceptionOfType(InvalidValue.class).isThrownBy(call).withMessageStartingWith(beginning);
  }
}

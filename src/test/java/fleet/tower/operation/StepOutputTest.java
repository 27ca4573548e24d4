package fleet.tower.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Extent;
import fleet.tower.operation.StepOutput.Line;
import fleet.tower.operation.StepOutput.Window;
import fleet.tower.platform.text.OutputText;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The lines of a step's output, as any reader finds them")
class StepOutputTest {
  private static final int LOGS = Extent.of(8, 40, 40);
  private static final int MAX_PART = StepOutput.MAX_LINE + 260;

  private static StepOutput output(byte[] bytes, int size, boolean isComplete) {
    return new StepOutput((from, max) -> Arrays.copyOfRange(bytes, (int) from, (int) Math.min(size, from + max)), size,
        isComplete);
  }

  /** All lines, read in windows of random sizes, each of which begins where the one before it ends. */
  private static List<Line> forward(StepOutput output, Random random) {
    List<Line> all = new ArrayList<>();
    long at = 0;
    while (at < output.size()) {
      Window window = output.from(at, 1 + random.nextInt(40));
      assertThat(window.offset()).isEqualTo(at);
      assertThat(window.lines()).isNotEmpty();
      all.addAll(window.lines());
      if (window.lines().getLast().isOpen()) {
        assertThat(window.next()).isEqualTo(window.lines().getLast().offset());
        return all;
      }
      at = window.next();
    }
    return all;
  }

  private static List<Line> backward(StepOutput output, Random random) {
    List<Line> all = new ArrayList<>();
    long at = output.size();
    while (at > 0) {
      Window window = output.before(at, 1 + random.nextInt(40));
      assertThat(window.lines()).isNotEmpty();
      all.addAll(0, window.lines());
      at = window.offset();
    }
    return all;
  }

  private static int indexOf(List<Line> all, long position) {
    int found = 0;
    while (found + 1 < all.size() && all.get(found + 1).offset() <= position) {
      found++;
    }
    return found;
  }

  @Test
  @DisplayName("Every reader finds the same lines: forward, backward, and from any position; together they are the text")
  void sameLines() {
    for (int seed = 0; seed < LOGS; seed++) {
      Random random = new Random(seed);
      byte[] bytes = RandomOutput.of(random, 1 + random.nextInt(60));
      StepOutput output = output(bytes, bytes.length, true);
      List<Line> all = forward(output, random);

      assertThat(backward(output, random)).isEqualTo(all);
      String printable = OutputText.printable(new String(bytes, UTF_8));
      assertThat(text(all)).isEqualTo(printable + (bytes.length == 0 || bytes[bytes.length - 1] == '\n' ? "" : "\n"));
      for (int i = 0; i < all.size(); i++) {
        long end = i + 1 < all.size() ? all.get(i + 1).offset() : bytes.length;
        assertThat(end - all.get(i).offset()).isBetween(1L, (long) MAX_PART);
        assertThat(all.get(i).isOpen()).isFalse();
      }
      for (int look = 0; look < 20 && bytes.length > 0; look++) {
        int position = random.nextInt(bytes.length);
        int at = indexOf(all, position);
        Window window = output.from(position, 1 + random.nextInt(50));
        assertThat(window.lines()).isNotEmpty().isEqualTo(all.subList(at, at + window.lines().size()));
        Window before = output.before(position, 1 + random.nextInt(50));
        assertThat(before.lines()).isEqualTo(all.subList(at - before.lines().size(), at));
        assertThat(before.next()).isEqualTo(all.get(at).offset());
        assertThat(before.lines().isEmpty()).isEqualTo(at == 0);
      }
      assertThat(output.from(bytes.length, 10)).isEqualTo(new Window(bytes.length, bytes.length, List.of()));
    }
  }

  /** The text of lines; a part that is cut continues on the same line. */
  private static String text(List<Line> lines) {
    return lines.stream().map(line -> line.text() + (line.isCut() ? "" : "\n")).collect(Collectors.joining());
  }

  @Test
  @DisplayName("What was found while the output grew stays: only the last, open line is read again")
  void growing() {
    for (int seed = 0; seed < LOGS; seed++) {
      Random random = new Random(seed);
      byte[] bytes = RandomOutput.of(random, 1 + random.nextInt(20));
      List<Line> all = forward(output(bytes, bytes.length, true), random);
      for (int look = 0; look < 10; look++) {
        int size = random.nextInt(bytes.length + 1);
        StepOutput now = output(bytes, size, false);
        List<Line> found = new ArrayList<>(forward(now, random));
        assertThat(backward(now, random)).isEqualTo(found);
        boolean isOpen = !found.isEmpty() && found.getLast().isOpen();
        assertThat(isOpen).isEqualTo(size > 0 && bytes[size - 1] != '\n');
        if (isOpen) {
          Line open = found.removeLast();
          assertThat(now.from(size, 5).lines()).containsExactly(open);
          assertThat(open.offset()).isEqualTo(all.get(found.size()).offset());
        }
        assertThat(found).isEqualTo(all.subList(0, found.size()));
      }
    }
  }

  @Test
  @DisplayName("A window has at most the wanted lines and 256 KiB")
  void bounded() {
    byte[] lines = "x\n".repeat(500_000).getBytes(UTF_8);
    assertThat(output(lines, lines.length, true).from(11, 2000)).returns(10L, Window::offset)
        .returns(4010L, Window::next).satisfies(it -> assertThat(it.lines()).hasSize(2000));
    byte[] wide = ("y".repeat(10_000) + "\n").repeat(100).getBytes(UTF_8);
    assertThat(output(wide, wide.length, true).from(0, 2000).lines()).hasSize(26);
    assertThat(output(wide, wide.length, true).before(wide.length, 2000).lines()).hasSize(26);
  }

  @Test
  @DisplayName("A search finds every line with the text, whatever its case, colours and cuts, in as many calls as it takes")
  void search() {
    for (int seed = 0; seed < LOGS; seed++) {
      Random random = new Random(seed);
      byte[] bytes = RandomOutput.of(random, 1 + random.nextInt(40));
      StepOutput output = output(bytes, bytes.length, true);
      List<Line> all = forward(output, random);
      for (String query : List.of("error", "ERROR", "Error: X", "program plain", "ółć€😀", "日本", "text of a", "ŻÓ",
          "none")) {
        boolean isExact = random.nextBoolean();
        assertThat(found(output, query, isExact, random)).as(query + " of " + seed)
            .isEqualTo(expected(bytes, all, query, isExact));
      }
    }
  }

  private static List<Line> found(StepOutput output, String query, boolean isExact, Random random) {
    List<Line> found = new ArrayList<>();
    @Nullable
    Long at = 0L;
    while (at != null) {
      int limit = 1 + random.nextInt(10);
      OutputSearch.Found some = new OutputSearch(output, query, isExact, limit, new ManualTime()).from(at);
      assertThat(some.matches()).hasSizeLessThanOrEqualTo(limit);
      found.addAll(some.matches());
      at = some.next();
    }
    return found;
  }

  private static List<Line> expected(byte[] bytes, List<Line> all, String query, boolean isExact) {
    List<Line> expected = new ArrayList<>();
    String wanted = isExact ? query : lowerCase(query);
    for (int i = 0; i < all.size(); i++) {
      int last = i;
      while (all.get(last).isCut()) {
        last++;
      }
      String own = stripped(bytes, all, i, i, isExact);
      int at = (own + (last > i ? stripped(bytes, all, i + 1, last, isExact) : "")).indexOf(wanted);
      if (at >= 0 && at < own.length()) {
        expected.add(all.get(i));
      }
    }
    return expected;
  }

  private static String stripped(byte[] bytes, List<Line> all, int first, int last, boolean isExact) {
    int from = (int) all.get(first).offset();
    int to = last + 1 < all.size() ? (int) all.get(last + 1).offset() : bytes.length;
    String text = OutputText.withoutSequences(new String(bytes, from, to - from, UTF_8));
    return isExact ? text : lowerCase(text);
  }

  private static String lowerCase(String text) {
    return text.codePoints().mapToObj(c -> c < 128
        ? Character.toString(c).toLowerCase(Locale.ROOT)
        : Character.toString(c)).collect(Collectors.joining());
  }

  @Test
  @DisplayName("A search that takes too long stops partway, and says where to continue")
  void slowSearch() {
    byte[] bytes = ("line\n".repeat(1_000_000) + "needle\n").getBytes(UTF_8);
    StepOutput output = output(bytes, bytes.length, true);
    ManualTime time = new ManualTime();
    StepOutput slow = new StepOutput((from, max) -> {
      time.advance(Duration.ofSeconds(2));
      return output.source().read(from, max);
    }, bytes.length, true);

    OutputSearch.Found first = new OutputSearch(slow, "needle", false, 10, time).from(0);
    assertThat(first.matches()).isEmpty();
    assertThat(first.next()).isBetween(1_000_000L, 1_100_000L);
    OutputSearch.Found all = new OutputSearch(output, "needle", false, 10, time).from(requireNonNull(first.next()));
    assertThat(all.matches()).extracting(Line::offset).containsExactly(5_000_000L);
    assertThat(all.next()).isNull();
  }
}

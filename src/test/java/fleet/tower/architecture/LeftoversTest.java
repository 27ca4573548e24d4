package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("No unfinished or debugging code is left")
class LeftoversTest {
  /** Concatenated, so that this file is not one of its own findings. */
  private static final Pattern ANYWHERE = Pattern
      .compile("\\b(?:TO" + "DO|FIX" + "ME|XX" + "X)\\b|@Dis" + "abled\\b|\\.print" + "StackTrace\\(");

  private static final Pattern CONSOLE = Pattern.compile("\\bSystem\\.(?:out|err)\\b");

  /** The command line prints; all other code returns its messages. */
  private static final Pattern MAY_PRINT = Pattern.compile(".*/fleet/tower/(?:cli/.*|Main\\.java)");

  @Test
  @DisplayName("No note of unfinished work, no disabled test, no printed stack trace, neither in product nor in tests")
  void noLeftovers() {
    assertThat(findings(Project.javaFiles(Project.MAIN), ANYWHERE)).isEmpty();
    assertThat(findings(Project.javaFiles(Project.TEST), ANYWHERE)).isEmpty();

    assertThat(findings(Project.fixtures("leftover"), ANYWHERE)).containsExactly("Leftover.java:3: TO" + "DO",
        "Leftover.java:5: @Dis" + "abled", "Leftover.java:10: FIX" + "ME", "Leftover.java:11: .print" + "StackTrace(",
        "Leftover.java:12: XX" + "X");
  }

  @Test
  @DisplayName("Only the command line and Main print")
  void onlyTheCommandLinePrints() {
    List<Path> silent = Project.javaFiles(Project.MAIN).stream().filter(file -> !mayPrint(file)).toList();
    assertThat(findings(silent, CONSOLE)).isEmpty();

    assertThat(findings(Project.fixtures("leftover"), CONSOLE)).containsExactly("Leftover.java:8: System.out",
        "Leftover.java:12: System.err");
    assertThat(List.of("cli/Screen.java", "Main.java", "lock/Main.java", "clip/Screen.java"))
        .filteredOn(name -> mayPrint(Project.MAIN.resolve("fleet/tower").resolve(name)))
        .containsExactly("cli/Screen.java", "Main.java");
  }

  private static boolean mayPrint(Path file) {
    return MAY_PRINT.matcher(file.toString()).matches();
  }

  private static List<String> findings(List<Path> files, Pattern pattern) {
    List<String> findings = new ArrayList<>();
    for (Path file : files) {
      int number = 0;
      for (String line : lines(file)) {
        String place = file.getFileName() + ":" + ++number + ": ";
        pattern.matcher(line).results().forEach(match -> findings.add(place + match.group()));
      }
    }
    return findings;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

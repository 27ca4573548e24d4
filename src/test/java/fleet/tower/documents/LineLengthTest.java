package fleet.tower.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Lines of prose in the documents are short")
class LineLengthTest {
  private static final int COLUMNS = 120;

  @Test
  @DisplayName("No line outside tables and code has more than 120 columns")
  void linesAreShort() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : Page.files()) {
      for (int line : longLines(Files.readString(page))) {
        found.add(Page.BASE.relativize(page) + ":" + line);
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  @DisplayName("A long line of prose, of a list and after a code block is found; one of a table or of code is not")
  void longLinesAreFound() {
    String fits = "x".repeat(COLUMNS);
    String text = String.join("\n", fits, fits + "x", "| " + fits + " |", "```console", "$ " + fits, "# " + fits, "```",
        "- " + fits, "…".repeat(COLUMNS));

    assertThat(longLines(text)).containsExactly(2, 8);
  }

  private static List<Integer> longLines(String text) {
    List<Integer> found = new ArrayList<>();
    List<String> lines = text.lines().toList();
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code && !line.startsWith("|") && line.codePointCount(0, line.length()) > COLUMNS) {
        found.add(i + 1);
      }
    }
    return found;
  }
}

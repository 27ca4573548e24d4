package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;

@DisplayName("Commands mentioned in the prose of documents")
class DocumentedCommandsTest {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", ""));
  private static final Pattern COMMAND = Pattern.compile("`(?:bin/)?tower ([a-z][^`\n]*)`");
  private static final Pattern FLAG = Pattern.compile("(?<=\\s)--[a-z][a-z-]*");

  /** Commands that a document calls planned may be missing. */
  private static final Pattern NOT_YET = Pattern.compile("(?m)^.*Not here yet.*$");

  @TempDir
  private Path directory = Path.of("");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String root : List.of("README.md", "CONTRIBUTING.md", "docs", "intents", "helm")) {
      try (Stream<Path> files = Files.walk(BASE.resolve(root))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages;
  }

  /** The unknown commands and flags in a text. */
  private List<String> mistakes(String text) {
    TestHome home = new TestHome(directory);
    List<String> mistakes = new ArrayList<>();
    for (String command : new TreeSet<>(COMMAND.matcher(NOT_YET.matcher(text).replaceAll("")).results()
        .map(match -> match.group(1)).toList())) {
      String own = command.replaceFirst(" -- .*", "");
      for (String name : own.split(" ", -1)[0].split("\\|", -1)) {
        String words = own.replaceFirst("[^ ]+", name).replaceAll("(^[a-z-]+(?: [a-z-]+)?).*", "$1");
        TestHome.Outcome help = Set.of("task", "mailbox", "exclusive", "token").contains(name)
            || words.equals("mcp install")
                ? home.tower(words + " --help")
                : home.run(name, "--help");
        if (help.exit() != 0) {
          mistakes.add("tower " + command + ": " + help.err().lines().findFirst().orElse(""));
        }
        Matcher flag = FLAG.matcher(own);
        flag.results().map(match -> match.group()).filter(it -> help.exit() == 0 && !help.out().contains(it))
            .forEach(it -> mistakes.add("tower " + command + " has no " + it));
      }
    }
    return mistakes;
  }

  @Test
  @DisplayName("Each command and each mentioned flag exists")
  void areThere() throws IOException {
    for (Path page : pages()) {
      assertThat(mistakes(Files.readString(page))).as(page.toString()).isEmpty();
    }
  }

  @Test
  @DisplayName("An unknown command or flag is found")
  void wouldBeFound() {
    assertThat(mistakes("`tower lokc prod` or `tower lock prod --tll 5m` or `tower guard x -- make --fast`"))
        .hasSize(2).anyMatch(it -> it.startsWith("tower lokc prod: "))
        .contains("tower lock prod --tll 5m has no --tll");
    assertThat(mistakes("`tower mcp --role agent` or `tower mcp install claude --role agent`")).isEmpty();
    assertThat(mistakes("`tower mcp --print`")).containsExactly("tower mcp --print has no --print");
  }

  @Test
  @DisplayName("Commands for the user to type are in tested sessions, never in untested blocks")
  void sessionsAreRun() throws IOException {
    for (Path page : pages()) {
      assertThat(Files.readString(page)).as(page.toString())
          .doesNotContainPattern("(?m)^```(sh|bash|shell|text)?\\n\\$? ?"
              + "(tower|bin/tower|helm|docker|systemctl|sudo)\\b");
    }
  }
}

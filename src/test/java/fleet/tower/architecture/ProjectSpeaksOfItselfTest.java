package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The project refers only to itself, and its references are valid")
class ProjectSpeaksOfItselfTest {
  /** Generated or private files; in a worktree {@code .git} is a file, and it names a directory of the machine. */
  private static final Set<String> NOT_OURS = Set.of(".git", ".idea", ".vscode", "target", "logs", "state");

  /** Directories of one machine; concatenated, so that this file is not one of its own findings. */
  private static final Pattern ONE_MACHINE = Pattern
      .compile("(?<![\\w.$~})-])/(?:wo" + "rk/|tmp/bash" + "_jobs|ro" + "ot/\\.m2)");

  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

  @TempDir
  private Path directory = Path.of("");

  @Test
  @DisplayName("No file names a directory of the machine it was written on")
  void noPathOfOneMachine() throws IOException {
    assertThat(pathsOfOneMachine(Project.BASE)).isEmpty();

    Files.writeString(directory.resolve("guide.md"), "see /wo" + "rk/main/README.md, not docs/wo" + "rk/plan.md");
    Files.write(directory.resolve("picture.png"), new byte[]{(byte) 0x89, (byte) 0xff, 0});
    assertThat(pathsOfOneMachine(directory)).containsExactly("guide.md: /wo" + "rk/");
  }

  @Test
  @DisplayName("Every relative link in a document leads to a file")
  void linksResolve() throws IOException {
    assertThat(brokenLinks(Project.BASE)).isEmpty();

    Files.createDirectory(directory.resolve("docs"));
    Files.writeString(directory.resolve("docs/lock.md"), "[up](../README.md#locks) [self](#top) [gone](gone.md)");
    Files.writeString(directory.resolve("README.md"), "[lock](docs/lock.md) [away](https://example.org/x) [no](no.md)");
    assertThat(brokenLinks(directory)).containsExactlyInAnyOrder("README.md: no.md", "docs/lock.md: gone.md");
  }

  private static List<String> pathsOfOneMachine(Path root) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files(root)) {
      // Every byte is a character here, so that a picture can be read too.
      ONE_MACHINE.matcher(Files.readString(file, StandardCharsets.ISO_8859_1)).results().map(MatchResult::group)
          .forEach(path -> found.add(root.relativize(file) + ": " + path));
    }
    return found;
  }

  private static List<String> brokenLinks(Path root) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path file : files(root)) {
      if (file.toString().endsWith(".md")) {
        LINK.matcher(Files.readString(file)).results().map(link -> link.group(1))
            .filter(link -> !link.contains(":") && Files.notExists(file.resolveSibling(link)))
            .forEach(link -> broken.add(root.relativize(file) + ": " + link));
      }
    }
    return broken;
  }

  private static List<Path> files(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(root, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) {
        return isOurs(at) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        if (attributes.isRegularFile() && isOurs(file)) {
          files.add(file);
        }
        return FileVisitResult.CONTINUE;
      }

      private boolean isOurs(Path path) {
        return !NOT_OURS.contains(root.relativize(path).toString());
      }
    });
    return files;
  }
}

package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * A file that is opened in another way could be a link that somebody planted. The creation of a file that must not
 * exist follows none. A {@code RandomAccessFile} is for reading.
 */
@DisplayName("Only WrittenFile opens files for writing")
class WritingArchitectureTest {
  private static final String ALLOWED = "fleet.tower.platform.disk.WrittenFile";
  private static final Set<String> OPTIONS = Set.of("WRITE", "APPEND", "CREATE", "CREATE_NEW", "TRUNCATE_EXISTING",
      "DELETE_ON_CLOSE");
  private static final Set<String> METHODS = Set.of("write", "writeString", "newOutputStream", "newBufferedWriter");

  private static final Pattern WRITING_MODE = Pattern.compile("new RandomAccessFile\\([^;]*\"rw");

  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("writing", output);
  }

  @Test
  @DisplayName("No other class uses an option, a method or a constructor that opens a file for writing")
  void oneClass() {
    assertThat(openings(Project.classes())).isEmpty();

    assertThat(openings(fixtures)).hasSize(9).allMatch(it -> it.contains("WritesFiles"))
        .anyMatch(it -> it.contains("StandardOpenOption.APPEND")).anyMatch(it -> it.contains("Files.writeString("))
        .anyMatch(it -> it.contains("Files.newOutputStream(")).anyMatch(it -> it.contains("Files.newBufferedWriter("))
        .anyMatch(it -> it.contains("Files.write(")).anyMatch(it -> it.contains("Files.copy("))
        .anyMatch(it -> it.contains("FileOutputStream.<init>(")).anyMatch(it -> it.contains("FileWriter.<init>("))
        .anyMatch(it -> it.contains("PrintStream.<init>("));
  }

  @Test
  @DisplayName("No RandomAccessFile is opened for writing")
  void readOnly() throws IOException {
    assertThat(modes(Project.javaFiles(Project.MAIN))).isEmpty();

    assertThat(modes(Project.fixtures("writing"))).containsExactly("WritesFiles.java");
  }

  private static List<String> openings(JavaClasses classes) {
    return classes.stream().filter(type -> !type.getName().startsWith(ALLOWED))
        .<JavaAccess<?>>flatMap(type -> type.getAccessesFromSelf().stream())
        .filter(WritingArchitectureTest::opensForWriting).map(JavaAccess::getDescription).toList();
  }

  private static boolean opensForWriting(JavaAccess<?> access) {
    String parameters = access.getTarget().getFullName().replaceFirst("^[^(]*", "");
    return switch (access.getTargetOwner().getName()) {
      case "java.nio.file.StandardOpenOption" -> OPTIONS.contains(access.getName());
      case "java.nio.file.Files" ->
        METHODS.contains(access.getName())
            || (access.getName().equals("copy") && parameters.startsWith("(java.io.Input"));
      case "java.io.FileOutputStream", "java.io.FileWriter", "java.io.PrintStream", "java.io.PrintWriter",
          "java.util.Formatter" ->
        access.getName().equals("<init>") && parameters.matches("\\((java.io.File|java.lang.String)[,)].*");
      default -> false;
    };
  }

  private static List<String> modes(List<Path> files) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      if (WRITING_MODE.matcher(Files.readString(file)).find()) {
        found.add(file.getFileName().toString());
      }
    }
    return found;
  }
}

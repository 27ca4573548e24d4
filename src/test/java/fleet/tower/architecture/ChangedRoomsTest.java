package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("bin/test-changed runs the tests of the rooms that a change touches")
class ChangedRoomsTest {
  private static final String DRAWING = "src/test/java/fleet/tower/architecture/House.java";
  private static final String OPTIONS = " -Dsurefire.failIfNoSpecifiedTests=false";

  @TempDir
  private Path clone = Path.of("");

  /** A clone with the drawing of this project, and a build that prints its arguments. */
  @BeforeEach
  void begin() throws IOException, InterruptedException {
    write("mvnw", "#!/bin/sh\necho \"mvnw $*\"\n");
    write("bin/test-changed", Files.readString(Project.BASE.resolve("bin/test-changed")));
    write(DRAWING, Files.readString(Project.BASE.resolve(DRAWING)));
    write("src/main/java/fleet/tower/lock/Locks.java", "");
    write("src/test/java/fleet/tower/console/PagesTest.java", "");
    write("src/test/java/fleet/tower/task/TaskTest.java", "");
    write("src/test/java/fleet/tower/lock/LocksTest.java", "");
    write(".gitignore", "target\n");
    Files.createDirectory(clone.resolve("target"));
    assertThat(clone.resolve("mvnw").toFile().setExecutable(true)).isTrue();
    run("git", "init", "-q");
    commit("first");
  }

  private void write(String file, String content) throws IOException {
    Files.createDirectories(clone.resolve(file).getParent());
    Files.writeString(clone.resolve(file), content);
  }

  private void commit(String subject) throws IOException, InterruptedException {
    run("git", "add", "-A");
    run("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", subject);
  }

  private List<String> run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).directory(clone.toFile()).redirectErrorStream(true).start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor()).as(lines.toString()).isZero();
    return lines;
  }

  private List<String> changed(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", "bin/test-changed"));
    command.addAll(List.of(arguments));
    return run(command.toArray(String[]::new));
  }

  @Test
  @DisplayName("The room of a changed file and of a new one, and the rules of the architecture; it names the rooms above")
  void rooms() throws IOException, InterruptedException {
    write("src/main/java/fleet/tower/lock/Locks.java", "class Locks {}");
    write("src/test/java/fleet/tower/task/sql/NewTest.java", "");

    assertThat(changed()).containsExactly("Tests of: lock task architecture",
        "Not of the rooms above, which use them: policy mailbox guard run home operation answer cli service; ./mvnw verify tests all",
        "mvnw test -Dtest=fleet/tower/lock/**/*Test,fleet/tower/task/**/*Test,fleet/tower/architecture/**/*Test"
            + OPTIONS);
  }

  @Test
  @DisplayName("Without a change, the rules alone; since another commit, with options of Maven")
  void since() throws IOException, InterruptedException {
    write("src/main/java/fleet/tower/cli/Cli.java", "");
    commit("second");

    assertThat(changed()).containsExactly("Tests of: architecture",
        "mvnw test -Dtest=fleet/tower/architecture/**/*Test" + OPTIONS);
    assertThat(changed("HEAD~1", "-o")).first().isEqualTo("Tests of: cli architecture");
    assertThat(changed("HEAD~1", "-o")).last().asString().endsWith(OPTIONS + " -o");
  }

  @Test
  @DisplayName("Pages of the console belong to the tests in a browser, measurements to their page; the build's own files to all")
  void outside() throws IOException, InterruptedException {
    write("src/main/console/app.ts", "");
    assertThat(changed().getFirst()).isEqualTo("Tests of: console architecture");

    write("docs/performance.md", "");
    assertThat(changed().getFirst()).isEqualTo("Tests of: documents performance console architecture");

    write("pom.xml", "");
    assertThat(changed("-o")).containsExactly("Tests of every room, because of pom.xml", "mvnw verify -o");
  }

  @Test
  @DisplayName("It reads every room of the drawing")
  void drawing() throws IOException, InterruptedException {
    for (House.Room room : House.DRAWN.rooms()) {
      write("src/main/java/fleet/tower/" + room.name() + "/New.java", "");
    }
    List<String> lines = changed();
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst().split(" ")).contains(House.DRAWN.rooms().stream().map(House.Room::name)
        .toArray(String[]::new));
  }
}

package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.ProofsProfile;

/**
 * Runs the real build, from the real {@code pom.xml}, over a project of one planted source. The build that runs this
 * test has shown that it accepts a clean source.
 */
@DisplayName("The build rejects invalid sources")
@ProofsProfile
class BuildGateTest {
  private static final List<String> BUILD = List.of("pom.xml", "mvnw", ".mvn", "src/style");
  private static final int LIMIT_SECONDS = 240;

  @TempDir
  private Path project = Path.of("");

  private record Build(int exitCode, String output) {}

  @BeforeEach
  void copyBuild() throws IOException {
    for (String part : BUILD) {
      try (Stream<Path> files = Files.walk(Project.BASE.resolve(part))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          copy(file, Project.BASE.relativize(file).toString());
        }
      }
    }
  }

  @Test
  @DisplayName("It stops at a forbidden null, and at a bug known to Error Prone")
  void stopsAtBugs() throws Exception {
    plant("Buggy");

    Build build = build("-Dspotless.check.skip", "compile");

    assertThat(build.exitCode()).as(build.output()).isNotZero();
    assertThat(build.output()).containsPattern("Buggy\\.java:\\[\\d+,\\d+] \\[NullAway]")
        .containsPattern("Buggy\\.java:\\[\\d+,\\d+] \\[BoxedPrimitiveEquality]");
  }

  @Test
  @DisplayName("It stops at a warning")
  void stopsAtWarning() throws Exception {
    plant("Doubtful");

    Build build = build("-Dspotless.check.skip", "compile");

    assertThat(build.exitCode()).as(build.output()).isNotZero();
    assertThat(build.output()).containsPattern("Doubtful\\.java:\\[\\d+,\\d+] \\[rawtypes]")
        .contains("warnings found and -Werror specified");
  }

  @Test
  @DisplayName("It stops at a source that is not formatted")
  void stopsAtUnformattedSource() throws Exception {
    plant("Unformatted");

    Build build = build("process-sources");

    assertThat(build.exitCode()).as(build.output()).isNotZero();
    assertThat(build.output()).contains("The following files had format violations",
        "src/main/java/fleet/tower/planted/Unformatted.java");
  }

  private void plant(String source) throws IOException {
    for (String file : List.of("package-info", source)) {
      copy(Project.fixture("build").resolve(file + ".java"), "src/main/java/fleet/tower/planted/" + file + ".java");
    }
  }

  private void copy(Path file, String to) throws IOException {
    Path target = project.resolve(to);
    Files.createDirectories(target.getParent());
    Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
  }

  private Build build(String... arguments) throws IOException, InterruptedException {
    // The sources have no console to bundle, and the dependencies are those of the build that runs this test.
    List<String> command = new ArrayList<>(List.of("./mvnw", "--offline", "--batch-mode", "-Dexec.skip", "-Dmdep.skip",
        "-Denforcer.skip"));
    command.addAll(List.of(arguments));
    String repository = System.getProperty("maven.repository", "");
    if (!repository.isEmpty()) {
      command.add("-Dmaven.repo.local=" + repository);
    }
    Path output = project.resolve("output.txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true)
        .redirectOutput(output.toFile());
    // The build that runs this test passes its directory to its children; this one has another directory.
    builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("%s ends in time", command).isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return new Build(process.exitValue(), Files.readString(output));
  }
}

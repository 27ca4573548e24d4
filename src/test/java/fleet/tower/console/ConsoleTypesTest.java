package fleet.tower.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.api.ApiDocument;

/** The TypeScript compiler over a copy of the sources, with types generated from the OpenAPI document. */
@DisplayName("The types of the console")
class ConsoleTypesTest {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  private static final Path SOURCES = Path.of("src/main/console");
  private static final String DOCUMENT = ApiDocument.yaml(ApiDocument.read());

  private final Path project;

  ConsoleTypesTest(@TempDir Path project) {
    this.project = project;
  }

  private record Check(int exit, String output) {}

  @BeforeEach
  void copySources() throws IOException {
    try (Stream<Path> files = Files.walk(BASE.resolve(SOURCES))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = project.resolve(BASE.relativize(file));
        Files.createDirectories(copy.resolveSibling(""));
        Files.copy(file, copy);
      }
    }
    Files.createDirectories(project.resolve("target/console"));
    Files.createSymbolicLink(project.resolve("target/console/node_modules"),
        BASE.resolve("target/console/node_modules"));
  }

  @Test
  @DisplayName("The sources agree with the OpenAPI document")
  void clean() throws IOException {
    assertThat(check(DOCUMENT)).isEqualTo(new Check(0, ""));
  }

  @Test
  @DisplayName("A call or a member that the document renames is an error where the console uses it")
  @ProofsProfile
  void renamed() throws IOException {
    String renamed = DOCUMENT.replaceAll("(?m)^  /me:", "  /myself:").replaceAll("\\bfencing_token\\b", "fence");
    assertThat(renamed).isNotEqualTo(DOCUMENT);
    Files.writeString(project.resolve(SOURCES).resolve("fixture.ts"), """
        import type { Schemas } from "./record/api";
        export const token = (lock: Schemas["HeldLock"]) => lock.fencing_token;
        """);

    Check check = check(renamed);

    assertThat(check.exit()).isNotZero();
    assertThat(check.output()).contains("app/sign-in.ts", "\"GET /me\"", "fixture.ts(2,", "fencing_token");
  }

  private Check check(String document) throws IOException {
    Path openapi = Files.writeString(project.resolve("openapi.yaml"), document);
    run(JavaProcess.command(List.of(), BASE.resolve("src/build/ConsoleBuild.java").toString(), openapi.toString(),
        project.resolve("target/console/api.d.ts").toString()), "types");
    return run(List.of(PlaywrightDriver.node(), "target/console/node_modules/typescript/lib/tsc.js", "-p",
        SOURCES.toString()), "check");
  }

  private Check run(List<String> command, String name) throws IOException {
    Path output = project.resolve(name + ".txt");
    int exit = Await.exitOf(new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true)
        .redirectOutput(output.toFile()).start());
    return new Check(exit, TestFiles.text(output));
  }
}

package fleet.tower.answer.prime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("LK-35 which lock names a project's scripts guard")
class GuardedScriptsTest {
  private final Path project;

  GuardedScriptsTest(@TempDir Path project) {
    this.project = project;
  }

  private void file(String name, String text) throws IOException {
    Path file = project.resolve(name);
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, text);
  }

  private Map<String, ? extends Set<String>> found() {
    return GuardedScripts.in(project);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "tower guard build -- make all | build", "bin/tower guard build --ttl 5m -- make | build",
      "exec \"$ROOT/bin/tower\" guard x -- make | ''", "tower guard --ttl 5m build -- make | build",
      "  @tower guard --ttl=5m --wait build -- make | build", "tower guard --wait 10m build -- make | build",
      "tower guard -E 99 --on-lost stop --force-lock build --json -- make | build",
      "if tower guard 'build' -- make; then | build", "tower guard \"$app-$env\" -- make | $app-$env",
      "tower guard ${app}-prod -- make | ${app}-prod", "sh -c \"tower guard build -- make\" | build",
      "tower guard build \\~ -- make | ''", "# tower guard build -- make | ''", "tower guard build make | ''",
      "tower guard a b -- make | ''", "tower guard -- make | ''", "mytower guard build -- make | ''",
      "tower guard ../../x -- make | ''"})
  @DisplayName("One call in every notation")
  void calls(String line, String name) throws Exception {
    file("run.sh", "#!/bin/sh\n" + line + "\n");
    String expected = name.replace("''", "");
    assertThat(found().keySet()).isEqualTo(expected.isEmpty() ? Set.of() : Set.of(expected));
  }

  @Test
  @DisplayName("Scripts in the known places are listed by their program, never with arguments, in a fixed order")
  void places() throws Exception {
    file("scripts/deep/er/z.py", "os.system('tower guard deploy \\\n  --ttl 5m \\\n  -- ./push --token SECRET')");
    file("bin/b", "tower guard build -- make TOKEN=SECRET\n");
    file("a.sh", "tower guard build -- TOKEN=SECRET make\n");
    file("Makefile", "all:\n\ttower guard build -- cc\n");
    file(".github/scripts/ci", "tower guard build -- ninja\n");
    file("other/c.sh", "tower guard hidden -- make\n");
    file("README.md", "tower guard hidden -- make\n");

    assertThat(found().toString()).isEqualTo("{build=[.github/scripts/ci (ninja), Makefile (cc), a.sh, bin/b (make)], "
        + "deploy=[scripts/deep/er/z.py (./push)]}");
  }

  @Test
  @DisplayName("Large and binary files, links, deep files and files after the first thousand are skipped")
  void bounds() throws Exception {
    String guarded = "tower guard build -- make\n";
    file("bin/large", guarded + "x".repeat(1 << 20));
    file("bin/binary", guarded + "\0");
    file("elsewhere", guarded);
    Files.createSymbolicLink(project.resolve("bin/link"), project.resolve("elsewhere"));
    Files.createSymbolicLink(project.resolve("scripts"), project.resolve("bin"));
    file("bin/1/2/3/4/deep", guarded);
    assertThat(found()).isEmpty();

    for (int i = 0; i < 1000; i++) {
      file("bin/file-" + i, "");
    }
    file("bin/zz", guarded);
    assertThat(found()).isEmpty();
    file("bin/a", guarded);
    assertThat(found()).containsOnlyKeys("build");
  }
}

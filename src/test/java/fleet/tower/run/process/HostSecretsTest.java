package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Programs;
import fleet.tower.harness.TestFiles;
import fleet.tower.intent.SecretSource;
import fleet.tower.intent.SecretSource.FromEnv;
import fleet.tower.intent.SecretSource.FromFile;
import fleet.tower.intent.StepLimits;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Processes;
import fleet.tower.run.Processes.Exit;
import fleet.tower.run.Processes.Exited;
import fleet.tower.run.Processes.NotStarted;

@DisplayName("A step gets the secrets of its host, and never shows them")
class HostSecretsTest {
  private static final String PEM = """
      -----BEGIN PRIVATE KEY-----
      MIIEvQIBADANBgkqhkiG9w0BAQEFAASC
      kw==
      -----END PRIVATE KEY-----
      """;

  @TempDir
  private Path home = Path.of("not-yet");
  private final List<String> warned = Collections.synchronizedList(new ArrayList<>());

  private Exit run(Steps steps, Map<String, SecretSource> sources, boolean isUndoing, String script) {
    List<Exit> exits = new ArrayList<>();
    steps.processes.start(new Processes.Command(Steps.RUN, "1-step", List.of("bash", "-euo", "pipefail", "-c", script),
        Map.of("KEY", "replaced"), Secrets.of(List.of("of-the-caller")), StepLimits.NONE, sources, isUndoing),
        new Processes.Watcher() {
          @Override
          public void warned(String what) {
            warned.add(what);
          }

          @Override
          public void ended(Exit exit) {
            exits.add(exit);
          }
        }).await();
    return exits.getFirst();
  }

  private String output(Steps steps, Map<String, SecretSource> sources, String script) throws IOException {
    Files.deleteIfExists(steps.log("1-step"));
    assertThat(run(steps, sources, false, script)).isEqualTo(new Exited(0));
    return TestFiles.textIfAny(steps.log("1-step"));
  }

  private static Map<String, SecretSource> key(String file) {
    return Map.of("KEY", new FromFile(file));
  }

  private Steps steps(boolean wrapped) {
    return wrapped ? Steps.wrapped(home, Duration.ofSeconds(10)) : new Steps(home);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A value from a file is masked as it is, in base64, split, line by line and in the note about leftovers")
  void masked(boolean wrapped) throws IOException {
    Files.writeString(home.resolve("key"), "hunter22-né\n\n");
    Files.writeString(home.resolve("pem"), PEM);
    try (Steps steps = steps(wrapped)) {
      assertThat(output(steps, key("key"), "test \"$KEY\" = $'hunter22-né\\n'; echo \"a $KEY of-the-caller b\""))
          .isEqualTo("a *** *** b\n");
      assertThat(output(steps, key("key"), "printf %s \"$KEY\" | base64; printf hunt; sleep 0.1; echo er22-né"))
          .isEqualTo("***\n***");
      assertThat(output(steps, key(home.resolve("pem").toString()),
          "echo \"$KEY\" | sed -n 2p; echo \"$KEY\" | sed -n 3p; printf %s \"$KEY\" | base64 -w0; echo; cat pem"))
          .isEqualTo("***\nkw==\n***\n***\n");
      assertThat(home.resolve("pem")).hasContent(PEM);

      Programs.write(home.resolve("hunter22"), "#!/bin/bash\nsleep 60\n");
      Files.writeString(home.resolve("key"), "hunter22");
      assertThat(output(steps, key("key"), "./hunter22 & disown; sleep 0.2"))
          .startsWith("[tower] ended what the step had left running: ").contains("*** (").doesNotContain("hunter");
      assertThat(String.join("\n", steps.warnings)).contains("*** (").doesNotContain("hunter");
    }
  }

  @Test
  @DisplayName("A value from a variable of the executor is the same byte for byte, and is masked")
  void variable() throws IOException {
    try (Steps steps = new Steps(home)) {
      assertThat(output(steps, Map.of("KEY", new FromEnv("PATH")), "test \"$KEY\" = \"$PATH\"; echo \"a $KEY b\""))
          .isEqualTo("a *** b\n");
    }
  }

  @Test
  @DisplayName("Each step reads them again, and one line break at the end is not part of a value")
  void again() throws IOException {
    try (Steps steps = new Steps(home)) {
      for (String written : List.of("one", "two\r\n", "a\nb\n", "x".repeat(65_535) + "\n")) {
        Files.writeString(home.resolve("key"), written);
        String digest = Base64.getEncoder().encodeToString(
            written.replaceFirst("\r?\n\\z", "").getBytes(StandardCharsets.UTF_8));
        Files.writeString(home.resolve("expected"), digest);

        output(steps, key("key"), "test \"$(printf %s \"$KEY\" | base64 -w0)\" = \"$(<expected)\"");
      }
    }
  }

  private static String problem(Exit exit) {
    assertThat(exit).isInstanceOf(NotStarted.class);
    assertThat(((NotStarted) exit).code()).isEqualTo(126);
    return ((NotStarted) exit).problem();
  }

  @Test
  @DisplayName("A step without one of its secrets is not started, and is told where it is missing and what to do")
  void unreadable() throws IOException {
    String beginning = "the secret KEY cannot be read from " + home.resolve("key") + ": ";
    String end = "; let the executor read it there, or correct spec.secrets of the intent";
    try (Steps steps = new Steps(home)) {
      assertThat(problem(run(steps, key("key"), false, "touch began")))
          .isEqualTo(beginning + "ENOENT: no such file or directory" + end);
      for (byte[] content : List.of(new byte[0], "\n".getBytes(StandardCharsets.UTF_8))) {
        Files.write(home.resolve("key"), content);
        assertThat(problem(run(steps, key("key"), false, "touch began"))).isEqualTo(beginning + "it is empty" + end);
      }
      Files.writeString(home.resolve("key"), "x".repeat(65_537));
      assertThat(problem(run(steps, key("key"), false, "touch began")))
          .isEqualTo(beginning + "it is longer than 65536 bytes" + end);
      Files.write(home.resolve("key"), new byte[]{'a', (byte) 0xff});
      assertThat(problem(run(steps, key("key"), false, "touch began")))
          .isEqualTo(beginning + "it is not valid UTF-8" + end);
      Files.writeString(home.resolve("key"), "hunter22\0");
      assertThat(problem(run(steps, key("key"), false, "touch began")))
          .isEqualTo("the environment variable KEY has a NUL character");
      Files.delete(home.resolve("key"));
      Files.createDirectory(home.resolve("key"));
      assertThat(problem(run(steps, key("key"), false, "touch began"))).isEqualTo(beginning + "it is not a file" + end);

      assertThat(problem(run(steps, Map.of("KEY", new FromEnv("NO_SUCH_VARIABLE")), false, "touch began")))
          .isEqualTo("the secret KEY cannot be read from the variable NO_SUCH_VARIABLE: it is not set; set it for the "
              + "executor, or correct spec.secrets of the intent");
      assertThat(home.resolve("began")).doesNotExist();
      assertThat(warned).isEmpty();
    }
  }

  @Test
  @DisplayName("A rollback is tried without the secrets that cannot be read, with a warning; it has the others")
  void undoing() throws IOException {
    Files.writeString(home.resolve("other"), "hunter22");
    try (Steps steps = new Steps(home)) {
      Map<String, SecretSource> sources = Map.of("LOST", new FromFile("lost"), "OTHER", new FromFile("other"));

      assertThat(run(steps, sources, true, "test -z \"${LOST+set}\"; echo \"$OTHER\"")).isEqualTo(new Exited(0));

      assertThat(Files.readString(steps.log("1-step"))).isEqualTo("***\n");
      assertThat(warned).containsExactly("the secret LOST cannot be read from " + home.resolve("lost")
          + ": ENOENT: no such file or directory; let the executor read it there, or correct spec.secrets of the intent");
    }
  }
}

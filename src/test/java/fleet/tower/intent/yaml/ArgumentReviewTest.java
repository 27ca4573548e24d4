package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.yaml.Complaints;

@DisplayName("Warnings about values that could become code, choose a program, or redirect a path")
class ArgumentReviewTest {
  private static List<String> messages(String action, String controls) {
    Complaints complaints = new Complaints("x.yaml");
    IntentReader.read("""
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: x, version: 1.0.0 }
        spec:
          mode: mutate
          params:
            free: { type: string, required: true }
            name: { type: string, required: true, pattern: "[a-z][a-z0-9-]*" }
            path: { type: string, required: true, pattern: "[A-Za-z0-9_./-]+" }
            tool: { type: string, enum: [ls, df], default: ls }
            count: { type: integer, default: 1 }
          controls: { lock: x%s }
          steps:
            - name: one
              %s
        """.formatted(controls, action), "x", IntentFiles.schema(), complaints);
    assertThat(complaints.hasErrors()).as(complaints.all().toString()).isFalse();
    return complaints.all().stream().map(Object::toString).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[bash, -c, 'echo ${params.free}']", "[/bin/sh, -c, 'echo ${params.name}']",
      "[bash, -euo, pipefail, -c, 'echo ${params.count}']", "[dash, -e, -c, -u, 'x ${params.tool}', name]",
      "[env, A=b, zsh, -lc, 'x ${params.free}']", "[sudo, -u, root, /usr/bin/bash, -ec, 'x ${params.free}']",
      "[timeout, '5', ksh, -c, 'x ${params.free}']", "[nice, env, -i, bash, --norc, -c, '${params.free}']",
      "[su, deploy, -c, 'x ${params.free}']", "[python3, -c, 'print(${params.free})']", "[perl, -ne, '${params.name}']",
      "[find, ., -exec, sh, -c, 'x ${params.free}', ;]", "[bash, -c, 'x ${request.actor}']"})
  @DisplayName("A template in the code after -c, however the shell is started and whatever the parameter accepts")
  void code(String run) {
    assertThat(messages("run: " + run, "")).singleElement().asString()
        .startsWith("x.yaml:15:" + (12 + run.indexOf("${")))
        .contains("warning: ${", "becomes part of the code that ", "write a script:");
    assertThat(messages("run: [echo]\\n      rollback: ".replace("\\n", "\n") + run, "")).hasSize(1);
  }

  @Test
  @DisplayName("The warning contains the position, the reason and the remedy")
  void sentence() {
    assertThat(messages("run: [bash, -c, \"echo ${params.free}\"]", "")).containsExactly("x.yaml:15:29: warning:"
        + " ${params.free} becomes part of the code that bash runs, whatever its value; write a script: with"
        + " \"$PARAM_FREE\" instead");
    assertThat(messages("run: [\"${params.free}\", -l]", ""))
        .containsExactly("x.yaml:15:14: warning: parameter 'free' chooses"
            + " the program and accepts any text; name the program here, or give the parameter an enum");
    assertThat(messages("run: [cat, \"/srv/${params.free}\"]", ""))
        .containsExactly("x.yaml:15:24: warning: parameter 'free'"
            + " lets this path point anywhere on the host: it accepts any text; give it an enum, or a pattern"
            + " that keeps the path in its directory");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[bash, -c, 'echo \"$1\"', name, '${params.free}']", "[bash, run.sh, -c, '${params.free}']",
      "[echo, -c, '${params.free}']", "[bash, -o, pipefail, '${params.free}']", "['${params.tool}']",
      "[echo, 'hello ${params.free}']", "[curl, 'https://example.org/${params.free}']", "[cat, '/srv/${params.name}']",
      "[cat, '/srv/${params.count}/${params.tool}']", "['${params.name}']", "[bash, -c, 'echo $${params.free}']"})
  @DisplayName("Values that are arguments of code, of an enum, or cannot leave their directory are safe")
  void safe(String run) {
    assertThat(messages("run: " + run, "")).isEmpty();
  }

  @Test
  @DisplayName("A script causes no warning, because it contains no templates")
  void script() {
    assertThat(messages("script: echo \"$PARAM_FREE\"", "")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"flock:${params.free} | it accepts any text",
      "beads:/srv/${params.path}/x | its pattern allows ..", "beads:/srv/${params.name}/x | -",
      "pidfile:/run/${params.tool}.pid | -"})
  @DisplayName("A path of another tool's lock that a value can redirect, in respect and in exclusive")
  void foreign(String lock, String reason) {
    for (String key : List.of("respect", "exclusive")) {
      List<String> messages = messages("run: [echo]", ", " + key + ": [\"" + lock.strip() + "\"]");
      assertThat(messages).hasSize(reason.equals("-") ? 0 : 1).allMatch(it -> it.matches("x.yaml:12:\\d+: warning: .*")
          && it.contains("lets this path point anywhere on the host: " + reason));
    }
  }
}

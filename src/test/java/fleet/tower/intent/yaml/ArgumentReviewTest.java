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
            dashed: { type: string, required: true, pattern: "[a-z-]+" }
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
        .startsWith("x.yaml:16:" + (12 + run.indexOf("${")))
        .contains("warning: ${", "becomes part of the code that ", "write a script:");
    assertThat(messages("run: [echo]\\n      rollback: ".replace("\\n", "\n") + run, "")).hasSize(1);
  }

  @Test
  @DisplayName("The warning contains the position, the reason and the remedy")
  void sentence() {
    assertThat(messages("run: [bash, -c, \"echo ${params.free}\"]", "")).containsExactly("x.yaml:16:29: warning:"
        + " ${params.free} becomes part of the code that bash runs, whatever its value; write a script: with"
        + " \"$PARAM_FREE\" instead");
    assertThat(messages("run: [\"${params.free}\", -l]", ""))
        .containsExactly("x.yaml:16:14: warning: parameter 'free' chooses"
            + " the program and accepts any text; name the program here, or give the parameter an enum");
    assertThat(messages("run: [cat, \"/srv/${params.free}\"]", ""))
        .containsExactly("x.yaml:16:24: warning: parameter 'free'"
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

  @ParameterizedTest
  @ValueSource(strings = {"[ssh, host, 'systemctl restart ${params.free}']",
      "[ssh, -i, key, host, ls, '${params.free}']",
      "[ssh, '${params.free}', uptime]", "[ssh, -p, '22', '${params.free}']",
      "[kubectl, exec, pod, --, sh, -c, 'x ${params.free}']", "[docker, run, img, bash, -c, 'x ${params.free}']",
      "[docker, exec, box, sh, -ec, 'x ${params.free}']", "[tool, run, /bin/bash, -c, '${params.free}']",
      "[psql, -c, 'select ${params.free}']", "[psql, '--command=select ${params.free}']",
      "[mysql, -e, 'select ${params.free}']", "[awk, '{ print ${params.free} }', file]",
      "[awk, -F, ':', '{ print ${params.free} }']", "[ansible-playbook, site.yaml, -e, 'v=${params.free}']",
      "[ansible, all, -m, shell, -a, '${params.free}']", "[git, clone, '${params.free}']",
      "[git, clone, '${params.dashed}']", "[rsync, '${params.free}', here]", "[tar, xf, '${params.free}']"})
  @DisplayName("A free value in code that runs elsewhere or in another language, or that may become an option")
  void indirect(String run) {
    assertThat(messages("run: " + run, "")).singleElement().asString()
        .startsWith("x.yaml:16:" + (12 + run.indexOf("${"))).contains("warning: parameter '", "pattern");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[ssh, host, 'systemctl restart ${params.name}']", "[ssh, --, '${params.free}']",
      "[ssh, '${params.name}', uptime]", "[ssh, host, 'kill ${params.count}']", "[ssh, host, '${params.tool}']",
      "[kubectl, exec, pod, --, sh, -c, 'x ${params.name}']", "[kubectl, -n, '${params.free}', get, pods]",
      "[kubectl, apply, -f, 'manifests/${params.name}']", "[docker, run, img, bash, run.sh, '${params.tool}']",
      "[psql, -c, 'select ${params.count}']", "[psql, -v, 'id=${params.free}', -f, query.sql]",
      "[awk, -f, program.awk, '${params.free}']", "[awk, -v, 'x=${params.free}', '{ print x }']",
      "[ansible-playbook, site.yaml, -e, 'v=${params.name}']", "[git, clone, --, '${params.free}']",
      "[git, clone, 'https://example.org/${params.name}']", "[git, clone, '${params.name}']",
      "[echo, '${params.free}']"})
  @DisplayName("An enum, a number, a narrow pattern, an operand after -- and a value of an option are safe")
  void indirectlySafe(String run) {
    assertThat(messages("run: " + run, "")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"NODE_OPTIONS, 1", "GIT_SSH_COMMAND, 1", "JAVA_TOOL_OPTIONS, 1", "PERL5OPT, 1", "PYTHONSTARTUP, 1",
      "RUBYOPT, 1", "GIT_CONFIG_COUNT, 1", "NODE_ENV, 0", "GIT_AUTHOR_NAME, 0", "TITLE, 0"})
  @DisplayName("A free value in a variable from which a program loads code")
  void variables(String name, int warnings) {
    assertThat(messages("run: [x]\n      env: { " + name + ": \"${params.free}\" }", "")).hasSize(warnings)
        .allMatch(it -> it.contains("the variable " + name));
    assertThat(messages("run: [x]\n      env: { " + name + ": \"${params.name}\" }", "")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"eval \"$PARAM_FREE\", 1", "eval \"x ${PARAM_FREE}\", 1", "eval \"$PARAM_NAME\", 0",
      "eval \"$PARAM_COUNT\", 0", "echo \"$PARAM_FREE\", 0", "retrieval \"$PARAM_FREE\", 0"})
  @DisplayName("A script that evaluates a free value")
  void evaluated(String script, int warnings) {
    assertThat(messages("script: " + script, "")).hasSize(warnings)
        .allMatch(it -> it.contains("eval runs the value of parameter 'free' as code"));
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
      assertThat(messages).hasSize(reason.equals("-") ? 0 : 1).allMatch(it -> it.matches("x.yaml:13:\\d+: warning: .*")
          && it.contains("lets this path point anywhere on the host: " + reason));
    }
  }
}

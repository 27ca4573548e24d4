package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.intent.Intent;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Schema;

@DisplayName("Every mistake in an intent is told with its place and what to do")
class IntentMistakesTest {
  private static final String NO_LOCK = "14:11: warning: an intent that observes takes no lock, so this line does nothing; "
      + "take it out, or use another mode";
  private static final Schema SCHEMA = IntentFiles.schema();
  private static final String RUN = "run: [echo, \"${params.app}\"]";
  private static final String LOCK = "l-${params.app}";
  static final String GOOD = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata:
        name: x
        version: 1.0.0
      spec:
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
          opt: { type: string }
          key: { type: string, secret: true, required: true }
          mid: { type: string, default: a }
        controls:
          lock: "l-${params.app}"
        timeouts: { lock_ttl: 60 }
        steps:
          - name: one
            run: [echo, "${params.app}"]
      """;

  /** What is said about a text as {@code x.yaml}, each as line:column: message. */
  private static List<String> said(String text) {
    Complaints complaints = new Complaints("x.yaml");
    Optional<Intent> intent = IntentReader.read(text, "x", SCHEMA, complaints);
    assertThat(intent.isPresent()).isNotEqualTo(complaints.hasErrors());
    return complaints.all().stream().map(it -> it.toString().replaceFirst("^x.yaml:", "")).toList();
  }

  private static String with(String old, String replacement) {
    assertThat(GOOD).contains(old);
    return GOOD.replace(old, replacement);
  }

  private static Arguments mistake(String old, String replacement, String... expected) {
    return Arguments.of(old, replacement, List.of(expected));
  }

  static Stream<Arguments> shapes() {
    return Stream.of(
        mistake("kind: Intent", "kind: Intent\nkinds: x", "3:1: unknown key 'kinds'; did you mean 'kind'?"),
        mistake("  timeouts:", "  timeout:", "15:3: unknown key 'timeout'; did you mean 'timeouts'?"),
        mistake("  timeouts:", "  zebra:", "15:3: unknown key 'zebra'; known here are mode, params, controls, "
            + "timeouts, steps, rollback, schedule"),
        mistake("  name: x\n", "", "4:3: needs name"),
        mistake("name: x", "name: y", "4:9: is 'y', but the file is called x.yaml; the two must be the same"),
        mistake("name: x", "name: X_y",
            "4:9: must be 1 to 64 of a-z 0-9 -, beginning and ending with a letter or digit, not 'X_y'"),
        mistake("intent/v1", "intent/v2", "1:13: must be tower-fleet/intent/v1, not 'tower-fleet/intent/v2'"),
        mistake("mode: mutate", "mode: mutat",
            "7:9: must be one of observe, mutate, reconcile (did you mean mutate?), not 'mutat'"),
        mistake("mode: mutate", "mode: [mutate]", "7:9: must be one of observe, mutate, reconcile"),
        mistake(RUN, RUN + "\n      script: echo", "17:7: needs exactly one of run, script, and has more"),
        mistake("      " + RUN + "\n", "", "17:7: needs exactly one of run, script"),
        mistake(RUN, "run: echo hi",
            "18:12: must be a list: [one, two], or a line with - for each, not 'echo hi'"),
        mistake(RUN, "run: []", "18:12: is an empty list; write at least one"),
        mistake(RUN, "run: [\"\", x]", "18:13: is empty; the first word is the program"),
        mistake(RUN, "run: [a, ~, \"\", no, 1.10, null]",
            "18:16: is nothing; write \"\" for an empty text, and quotes around a word like null, not '~'",
            "18:33: is nothing; write \"\" for an empty text, and quotes around a word like null, not 'null'"),
        mistake(RUN, "run: [\"a\\0b\"]", "18:13: has a NUL character, which no program can be given"),
        mistake("name: one", "name: One two",
            "17:13: must be 1 to 64 of a-z 0-9 _ -, beginning with a letter or digit, not 'One two'"),
        mistake("name: one", "name: 1", "17:13: must be a text; put it in quotes, not '1'"),
        mistake("version: 1.0.0", "version: -1",
            "5:12: must be a version like 1.2.0: 1 to 64 letters, digits, and . _ + -, not '-1'"),
        mistake("version: 1.0.0", "version: [1]", "5:12: must be a text"),
        mistake(RUN, RUN + "\n    - name: one\n      run: [b]\n  rollback:\n    - name: one\n      run: [c]",
            "19:13: there is a step 'one' already, on line 17", "22:13: there is a step 'one' already, on line 17"),
        mistake("    app:", "    App:", "9:5: must be 1 to 64 of a-z 0-9 _, beginning with a letter, not 'App'",
            "14:14: there is no parameter 'app'; did you mean 'App'?",
            "18:20: there is no parameter 'app'; did you mean 'App'?"),
        mistake("  timeouts:", "    heartbeat: pulse\n    respect: [\"beads:/x\"]\n    exclusive: []\n  timeouts:",
            "15:16: must be one of timer, progress, not 'pulse'",
            "17:16: is an empty list; write at least one"),
        mistake("  timeouts:", "    heartbeat: progress\n  timeouts:"),
        mistake("    lock: \"l-${params.app}\"", "    heartbeat: progress",
            "14:16: warning: progress keeps no lock here, for there is none; add controls.lock"),
        mistake("  timeouts: { lock_ttl: 60 }", "    heartbeat: progress\n  timeouts: { lock_ttl: 600 }",
            "15:16: warning: a stuck step is ended after 600 s, before its lock goes stale after 600 s, so progress "
                + "changes nothing; make timeouts.lock_ttl shorter than timeouts.step"),
        mistake("  timeouts:", "    heartbeat: timer\n    on_lock_lost: halt\n  timeouts:",
            "16:19: must be one of stop, continue, not 'halt'"));
  }

  static Stream<Arguments> templates() {
    return Stream.of(
        mistake(RUN, "run: [echo, \"${params.ap}\"]", "18:20: there is no parameter 'ap'; did you mean 'app'?"),
        mistake(RUN, "run: [echo, \"é𝄞 ${params.app} and ${params.zebra}\"]",
            "18:41: there is no parameter 'zebra'; there are app, opt, key, mid"),
        mistake(RUN, "run:\n        - bash\n        - |\n          echo hi\n          echo ${params.nop}",
            "22:16: there is no parameter 'nop'; did you mean 'app'?"),
        mistake(RUN, "run: [echo, \"\\t\\u0041${params.zebra}\"]",
            "18:28: there is no parameter 'zebra'; there are app, opt, key, mid"),
        mistake(RUN, "run: [echo, \"\\x24{params.zebra}\"]",
            "18:19: there is no parameter 'zebra'; there are app, opt, key, mid"),
        mistake(RUN, "run: [echo, '$${a}''${params.zebra}']",
            "18:27: there is no parameter 'zebra'; there are app, opt, key, mid"),
        mistake(RUN, "run: [echo, \"a ${params.app\"]", "18:22: ${ without }; write $${ for a literal ${"),
        mistake(RUN, "run: [echo, \"${params.${params.app}}\"]",
            "18:20: a reference inside a reference: templates do not nest"),
        mistake(RUN, "run: [echo, \"${env.HOME}\"]", "18:20: ${env.HOME} is none of ${params.NAME}, ${request.id}, "
            + "${request.actor}, ${intent.name}, ${intent.version}, ${lock.token}"),
        mistake(RUN, "run: [echo, \"${params.app + 1}\"]",
            "18:20: there is no parameter 'app + 1'; did you mean 'app'?"),
        mistake(RUN, "run: [echo, \"${params.opt}\"]",
            "18:20: parameter 'opt' can be without a value; make it required, or give it a default"),
        mistake(RUN, "run: [echo, \"${params.key}\"]", "18:20: parameter 'key' is secret, and everybody may see the "
            + "arguments of a program; steps have it as $PARAM_KEY, or under a name of your own by env"),
        mistake(RUN, RUN + "\n      rollback: [echo, \"${params.key}\"]", "19:25: parameter 'key' is secret, and "
            + "everybody may see the arguments of a program; steps have it as $PARAM_KEY, or under a name of your own "
            + "by env"),
        mistake(LOCK, "l-${params.key}", "14:14: parameter 'key' is secret, and everybody may see the names of locks; "
            + "steps have it as $PARAM_KEY, or under a name of your own by env"),
        mistake(RUN, RUN + "\n      env: { K: \"${params.key}\" }"),
        mistake(RUN, RUN + "\n      env: { K: \"${params.opt}\" }",
            "19:18: parameter 'opt' can be without a value; make it required, or give it a default"),
        mistake(RUN, "run: [echo, \"$${params.zebra} $ $$ {params.zebra}\"]"),
        mistake(LOCK, "l-${lock.token}",
            "14:14: ${lock.token} is known only once the lock is held; its name cannot have it"),
        mistake("  controls:\n    lock: \"l-${params.app}\"\n",
            "  rollback: [{ name: two, run: [echo, \"${lock.token}\"] }]\n",
            "13:40: ${lock.token} needs a lock; this intent takes none"),
        mistake(RUN, "script: |\n        echo\n        echo ${params.app} ${HOME} ${#a}",
            "20:14: ${ in a script, which is handed to bash as it stands; write \"$PARAM_APP\"",
            "20:28: ${ in a script, which is handed to bash as it stands; write \"$HOME\"",
            "20:36: ${ in a script, which is handed to bash as it stands; its environment has parameters as "
                + "\"$PARAM_NAME\", the rest as \"$TOWER_REQUEST_ID\" and the like"),
        mistake(RUN, "script: \" \"", "18:15: is empty; write what bash is to run"));
  }

  static Stream<Arguments> environments() {
    return Stream.of("LD_PRELOAD", "PATH", "BASH_ENV", "ENV", "BASH_FUNC_x", "SHELLOPTS", "BASHOPTS", "IFS", "PS4",
        "PROMPT_COMMAND", "GCONV_PATH", "DYLD_INSERT_LIBRARIES", "LD_LIBRARY_PATH")
        .map(name -> mistake(RUN, RUN + "\n      env: { OK: 1, " + name + ": x }",
            "19:21: variable " + name + " is not for a step to set"));
  }

  static Stream<Arguments> ownEnvironment() {
    return Stream.of(
        mistake(RUN, RUN + "\n      env: { TOWER_HOME: x, PARAM_APP: y }",
            "19:14: variable TOWER_HOME is not for a step to set: every step gets those",
            "19:29: variable PARAM_APP is not for a step to set: every step gets those"),
        mistake(RUN, RUN + "\n      env: { \"a-b\": x, 1A: x, _a: x, BASH_FUNC%%: x }",
            "19:14: must be a variable's name: letters, digits and _, not beginning with a digit, not 'a-b'",
            "19:24: must be a variable's name: letters, digits and _, not beginning with a digit, not '1A'",
            "19:38: must be a variable's name: letters, digits and _, not beginning with a digit, not 'BASH_FUNC%%'"));
  }

  static Stream<Arguments> numbers() {
    return Stream.of(
        mistake("lock_ttl: 60", "lock_ttl: 0, step: -1, run: 900.5", "15:25: must be at least 1, not '0'",
            "15:34: must be at least 1, not '-1'", "15:43: must be a whole number without quotes, not '900.5'"),
        mistake("lock_ttl: 60", "lock_ttl: \"900\", step: 100000000000000000000, run: 0123",
            "15:25: must be a whole number without quotes, not '900'",
            "15:38: must be at most 604800, not '100000000000000000000'",
            "15:66: must be a whole number without quotes, not '0123'"),
        mistake("lock_ttl: 60", "lock_ttl: 604801", "15:25: must be at most 604800, not '604801'"),
        mistake("lock_ttl: 60", "lock_ttl: 4",
            "15:25: warning: a lock that lives 4 s is lost by any pause of the host; give it 30 or more"),
        mistake("lock_ttl: 60", "lock_ttl: 1e9", "15:25: must be a whole number without quotes, not '1e9'"),
        mistake(RUN, RUN + "\n      timeout: 1_0", "19:16: must be a whole number without quotes, not '1_0'"));
  }

  @ParameterizedTest
  @MethodSource({"shapes", "templates", "environments", "ownEnvironment", "numbers"})
  @DisplayName("TF-A36 TF-A32 what must not be, where it is, and all of it at once")
  void mistakes(String old, String replacement, List<String> expected) {
    assertThat(said(with(old, replacement))).containsExactlyElementsOf(expected);
  }

  @Test
  @DisplayName("An intent without a mistake is read, and nothing is said")
  void good() {
    assertThat(said(GOOD)).isEmpty();
    assertThat(said("---\n" + GOOD + "...\n")).isEmpty();
    assertThat(said(GOOD.replace("\n", "\r\n"))).isEmpty();
  }

  static Stream<Arguments> schedules() {
    return Stream.of(Arguments.of("0 */5 * * * *", List.of()), Arguments.of("@daily", List.of()),
        Arguments.of("0 0 0 29 2 *", List.of()),
        Arguments.of("0 0 * * *", List.of("19:13: has 5 fields; put the second in front: 0 0 0 * * *")),
        Arguments.of("* * * * * * *",
            List.of("19:13: has 7 fields; it needs 6: second minute hour day month weekday")),
        Arguments.of("daily", List.of("19:13: has 1 field; it needs 6: second minute hour day month weekday")),
        Arguments.of("0 0 0 30 2 *", List.of("19:13: never fires: there is no such day")),
        Arguments.of("99 0 0 * * *", List.of("19:13: is not a cron expression: second '99' must be a number "
            + "from 0 to 59")));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A schedule has six fields and fires at some time")
  void schedule(String cron, List<String> expected) {
    String scheduled = GOOD.replace("mode: mutate", "mode: reconcile")
        .replace("required: true, pattern", "default: a, pattern")
        .replace(", required: true", "") + "  schedule: \"" + cron + "\"\n";
    assertThat(said(scheduled)).isEqualTo(expected);
  }

  @Test
  @DisplayName("Nothing that changes once has a schedule, and nothing that must be given a value")
  void scheduleOfWhat() {
    String scheduled = GOOD + "  schedule: \"0 0 0 * * *\"\n";
    assertThat(said(scheduled)).containsExactly(
        "19:13: a schedule is for observe and reconcile; nobody would be there when this one fails");
    assertThat(said(scheduled.replace("mode: mutate", "mode: observe"))).containsExactly(NO_LOCK,
        "19:13: a scheduled run has the defaults only, and app, key are required; give a default instead");
  }

  @Test
  @DisplayName("An intent that observes may respect other tools' locks, and hold none")
  void observersHoldNothing() {
    String observes = GOOD.replace("mode: mutate", "mode: observe");

    assertThat(said(observes.replace("  timeouts:", "    respect: [\"terraform:/infra/${params.app}\"]\n  timeouts:")))
        .containsExactly(NO_LOCK);
    assertThat(said(observes.replace("  timeouts:", "    exclusive: [\"beads:/x\"]\n  timeouts:")))
        .containsExactly(NO_LOCK, "15:16: an intent that observes holds no lock; use respect, or another mode");
  }

  @Test
  @DisplayName("Another tool's lock is of a known kind; everybody may see it; only Terraform holds its own")
  void foreignLocks() {
    assertThat(said(with("  timeouts:",
        "    respect: [\"bead:/x\", \"beads:\", \"terraform:/infra\", \"flock:/l/${params.key}\"]\n"
            + "    exclusive: [\"beads:/x\", \"terraform:/infra\", \"pidfile:/run/${lock.token}\"]\n  timeouts:")))
        .containsExactly("15:15: must be one of beads:DIR, flock:FILE, terraform:DIR, pidfile:FILE, not 'bead:/x'",
            "15:26: must be one of beads:DIR, flock:FILE, terraform:DIR, pidfile:FILE, not 'beads:'",
            "15:66: parameter 'key' is secret, and everybody may see the names of locks; steps have it as $PARAM_KEY, "
                + "or under a name of your own by env",
            "16:29: must be one of beads:DIR, flock:FILE, pidfile:FILE (terraform:DIR can be respected only), "
                + "not 'terraform:/infra'",
            "16:63: ${lock.token} is known only once the lock is held; its name cannot have it");
  }
}

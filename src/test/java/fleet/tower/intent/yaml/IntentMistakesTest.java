package fleet.tower.intent.yaml;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.intent.OutputRule;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.SecretSource;
import fleet.tower.intent.StepLimits;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.YamlSchema;

@DisplayName("Every mistake in an intent is reported with its position and its remedy")
class IntentMistakesTest {
  private static final String NO_LOCK = "14:11: warning: an observe intent takes no lock, so this line has no effect; "
      + "remove it, or use another mode";
  private static final YamlSchema SCHEMA = IntentFiles.schema();
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

  /** The messages about a text as {@code x.yaml}, each as line:column: message. */
  private static List<String> messages(String text) {
    Complaints complaints = new Complaints("x.yaml");
    Optional<Intent> intent = IntentReader.read(text, "x", SCHEMA, complaints);
    assertThat(intent.isPresent()).isNotEqualTo(complaints.hasErrors());
    return complaints.all().stream().map(it -> it.toString().replaceFirst("^x.yaml:", "")).toList();
  }

  private static String with(String old, String replacement) {
    assertThat(GOOD).contains(old);
    return GOOD.replace(old, replacement);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "99999999999", "1.5", "0", "[1]"})
  @DisplayName("A number of approvers that is none is reported where it is")
  void approvers(String n) {
    assertThat(messages(with("  timeouts:", "  approve: { n: " + n + " }\n  timeouts:"))).singleElement().asString()
        .startsWith("15:17: must be");
  }

  @Test
  @DisplayName("The effect is that of the step that is hardest to undo, and unknown while one step has no word")
  void effects() {
    assertThat(effect(GOOD)).isEqualTo(Effect.UNKNOWN);
    assertThat(effect(with("  mode:", "  effect: reversible\n  mode:"))).isEqualTo(Effect.REVERSIBLE);
    String two = with("run: [echo, \"${params.app}\"]", "run: [echo]\n      effect: external\n"
        + "    - { name: two, run: [echo] }");
    assertThat(effect(two)).isEqualTo(Effect.UNKNOWN);
    assertThat(effect(two.replace("  mode:", "  effect: reversible\n  mode:"))).isEqualTo(Effect.EXTERNAL);
    assertThat(effect(two.replace("{ name: two,", "{ name: two, effect: irreversible,")))
        .isEqualTo(Effect.IRREVERSIBLE);
    assertThat(messages(with("mode: mutate", "mode: observe\n  effect: reversible"))).anyMatch(it -> it
        .contains("8:11: an observe intent changes nothing, so there is nothing to undo; remove this line"));
    assertThat(messages(with("mode: mutate", "mode: mutate\n  effect: none")))
        .containsExactly("8:11: must be one of reversible, external, irreversible, not 'none'");
  }

  private static Effect effect(String text) {
    return IntentReader.read(text, "x", SCHEMA, new Complaints("x.yaml")).orElseThrow().effect();
  }

  private static Arguments mistake(String old, String replacement, String... expected) {
    return Arguments.of(old, replacement, List.of(expected));
  }

  static Stream<Arguments> shapes() {
    return Stream.of(
        mistake("kind: Intent", "kind: Intent\nkinds: x", "3:1: unknown key 'kinds'; did you mean 'kind'?"),
        mistake("  timeouts:", "  timeout:", "15:3: unknown key 'timeout'; did you mean 'timeouts'?"),
        mistake("  timeouts:", "  zebra:",
            "15:3: unknown key 'zebra'; known keys are mode, effect, params, secrets, controls, "
                + "runs_on, timeouts, limits, probe, desired, steps, rollback, approve, schedule"),
        mistake("  name: x\n", "", "4:3: is missing name"),
        mistake("name: x", "name: y", "4:9: is 'y', but the file is named x.yaml; the two names must match"),
        mistake("name: x", "name: X_y",
            "4:9: must be 1 to 64 of a-z 0-9 -, beginning and ending with a letter or digit, not 'X_y'"),
        mistake("    app:", "    tower_app:",
            "9:5: the name of a parameter cannot begin with tower_, like the arguments that agents give to every intent; "
                + "rename it",
            "14:14: there is no parameter 'app'; did you mean 'opt'?",
            "18:20: there is no parameter 'app'; did you mean 'opt'?"),
        mistake("intent/v1", "intent/v2", "1:13: must be tower-fleet/intent/v1, not 'tower-fleet/intent/v2'"),
        mistake("mode: mutate", "mode: mutat",
            "7:9: must be one of observe, mutate, reconcile (did you mean mutate?), not 'mutat'"),
        mistake("mode: mutate", "mode: [mutate]", "7:9: must be one of observe, mutate, reconcile"),
        mistake(RUN, RUN + "\n      script: echo", "17:7: must have exactly one of run, script; it has more than one"),
        mistake("      " + RUN + "\n", "", "17:7: must have exactly one of run, script"),
        mistake(RUN, "run: echo hi",
            "18:12: must be a list: [one, two], or one line beginning with - per item, not 'echo hi'"),
        mistake(RUN, "run: []", "18:12: is an empty list; give at least one item"),
        mistake(RUN, "run: [\"\", x]", "18:13: is empty; the first word must be the program"),
        mistake(RUN, "run: [a, ~, \"\", no, 1.10, null]",
            "18:16: is null; write \"\" for an empty string, and quote a word such as null, not '~'",
            "18:33: is null; write \"\" for an empty string, and quote a word such as null, not 'null'"),
        mistake(RUN, "run: [\"a\\0b\"]", "18:13: contains a NUL character, which cannot be passed to a program"),
        mistake("name: one", "name: One two",
            "17:13: must be 1 to 64 of a-z 0-9 _ -, beginning with a letter or digit, not 'One two'"),
        mistake("name: one", "name: 1", "17:13: must be a string; put it in quotes, not '1'"),
        mistake("version: 1.0.0", "version: -1",
            "5:12: must be a version like 1.2.0: 1 to 64 letters, digits, and . _ + -, not '-1'"),
        mistake("version: 1.0.0", "version: [1]", "5:12: must be a string"),
        mistake(RUN, RUN + "\n    - name: one\n      run: [b]\n  rollback:\n    - name: one\n      run: [c]",
            "19:13: duplicate step 'one'; first used on line 17", "22:13: duplicate step 'one'; first used on line 17"),
        mistake("    app:", "    App:", "9:5: must be 1 to 64 of a-z 0-9 _, beginning with a letter, not 'App'",
            "14:14: there is no parameter 'app'; did you mean 'App'?",
            "18:20: there is no parameter 'app'; did you mean 'App'?"),
        mistake("  timeouts:", "    heartbeat: pulse\n    respect: [\"beads:/x\"]\n    exclusive: []\n  timeouts:",
            "15:16: must be one of timer, progress, not 'pulse'",
            "17:16: is an empty list; give at least one item"),
        mistake("  timeouts:", "    heartbeat: progress\n  timeouts:"),
        mistake("    lock: \"l-${params.app}\"", "    heartbeat: progress",
            "14:16: warning: heartbeat: progress has no effect without a lock; add controls.lock"),
        mistake("  timeouts: { lock_ttl: 60 }", "    heartbeat: progress\n  timeouts: { lock_ttl: 600 }",
            "15:16: warning: heartbeat: progress has no effect: a stuck step times out after 600 s, "
                + "before its lock goes stale after 600 s; make timeouts.lock_ttl shorter than timeouts.step"),
        mistake("  timeouts:", "    heartbeat: timer\n    on_lock_lost: halt\n  timeouts:",
            "16:19: must be one of stop, continue, not 'halt'"),
        mistake("  timeouts:", "    on_stale: steal\n    on_interrupt: release\n  timeouts:",
            "15:15: must be one of refuse, take, settle, not 'steal'",
            "16:5: unknown key 'on_interrupt'; did you mean 'on_interrupted'?"),
        mistake("  timeouts:", "    on_stale: take\n    on_interrupted: release\n  timeouts:",
            "15:15: on_stale: take is for mode reconcile only, where a repeated run completes the interrupted work; in a mutate "
                + "intent write on_stale: refuse, or remove the line",
            "16:21: on_interrupted: release is for mode reconcile only, where a repeated run completes the interrupted work; in "
                + "a mutate intent write on_interrupted: keep, or remove the line"),
        mistake("  timeouts:", "    on_stale: refuse\n    on_interrupted: keep\n  timeouts:"));
  }

  static Stream<Arguments> limits() {
    return Stream.of(
        mistake("  timeouts:", "  limits: { cpu: 5m, memory: 512MB, file_size: 100MB, open_files: 256, network: false, "
            + "escalate: false }\n  timeouts:"),
        mistake("  timeouts:", "  limit: { cpu: 5m }\n  timeouts:",
            "15:3: unknown key 'limit'; did you mean 'limits'?"),
        mistake("  timeouts:", "  limits: { cpu: 5, memory: 512M, file_size: 0KB, open_files: 3, network: none, "
            + "escalate: 0 }\n  timeouts:",
            "15:18: must be a string; put it in quotes, not '5'",
            "15:29: must be a size such as 64KB, 512MB or 2GB, not '512M'",
            "15:46: must be a size such as 64KB, 512MB or 2GB, not '0KB'",
            "15:63: must be at least 8, not '3'",
            "15:75: must be true or false, not 'none'",
            "15:91: must be true or false, not '0'"),
        mistake("  timeouts:", "  limits: { cpu: 0s, memory: 15MB, open_files: 99999999999 }\n  timeouts:",
            "15:18: must be a time span such as 30s, 5m or 2h, not '0s'",
            "15:30: is too little for most programs to start; give at least 16MB",
            "15:48: must be at most 1048576, not '99999999999'"),
        mistake("  timeouts:", "  limits: none\n  timeouts:",
            "15:11: must be a mapping of keys to values, one key per line, not 'none'"),
        mistake(RUN, RUN + "\n      limits: { memry: 1GB }", "19:17: unknown key 'memry'; did you mean 'memory'?"),
        mistake(RUN, RUN + "\n      output: { json: true, max: 1MB }\n      limits: { network: true }"),
        mistake(RUN, RUN + "\n      output: { lines: \"[0-9]+\" }"),
        mistake(RUN, RUN + "\n      output: { lines: \"[0-9\" }",
            "19:24: is not a valid regular expression: Unclosed character class, at character 4"),
        mistake(RUN, RUN + "\n      output: { json: false }",
            "19:23: checks nothing; write json: true, or remove output"),
        mistake(RUN, RUN + "\n      output: { json: true, lines: a }",
            "19:15: must have exactly one of json, lines, schema; it has more than one"),
        mistake(RUN, RUN + "\n      output: { max: 1KB }", "19:15: must have exactly one of json, lines, schema"),
        mistake(RUN, RUN + "\n      output: { json: true, max: 2MB }",
            "19:34: is more than is checked; give at most 1MB, and write longer output to a file"),
        mistake(RUN, RUN + "\n      outputs: { json: true }", "19:7: unknown key 'outputs'; did you mean 'output'?"),
        mistake(RUN, RUN + "\n      repeatable: true\n      retry: { times: 10, delay: 1h, factor: 10 }"),
        mistake(RUN, RUN + "\n      retry: { times: 3 }",
            "19:14: performs the step again after it has failed; write repeatable: true if it may be, or remove retry"),
        mistake(RUN, RUN + "\n      repeatable: true\n      retry: { delay: 61m }",
            "20:14: is missing times", "20:23: is longer than a run waits; give at most 1h"),
        mistake(RUN, RUN + "\n      repeatable: true\n      retry: { times: 11, delay: 1, factor: 0 }",
            "20:23: must be at most 10, not '11'", "20:34: must be a string; put it in quotes, not '1'",
            "20:45: must be at least 1, not '0'"),
        mistake(RUN, RUN + "\n  rollback:\n    - name: two\n      run: [b]\n      output: { json: true }",
            "22:7: unknown key 'output'; known keys are name, run, script, env, timeout, limits"));
  }

  @Test
  @DisplayName("A step is tried again after one second, then after twice as long, unless it says otherwise")
  void repetition() {
    Intent intent = read(with(RUN, RUN
        + "\n      repeatable: true\n    - name: two\n      run: [b]\n      repeatable: true"
        + "\n      retry: { times: 2 }\n    - name: three\n      run: [b]\n      repeatable: true\n      retry: { times: 1, "
        + "delay: 2m, factor: 1 }\n    - name: four\n      run: [b]\n      repeatable: false"));

    assertThat(intent.procedure().steps()).extracting(Intent.Step::repetition).containsExactly(Repetition.ONCE,
        new Repetition(2, Duration.ofSeconds(1), 2), new Repetition(1, Duration.ofMinutes(2), 1), null);
  }

  @Test
  @DisplayName("The limits of a step replace single keys of those of the intent, also for its rollback")
  void merged() {
    Intent intent = read(with("  timeouts:",
        "  limits: { cpu: 5m, memory: 512MB, network: false, escalate: false }\n  timeouts:")
        .replace(RUN, RUN + "\n      limits: { cpu: 90s, file_size: 1KB, open_files: 64, network: true }"
            + "\n      output: { lines: \"[a-z]+\", max: 2KB }\n    - name: two\n      script: echo\n  rollback:"
            + "\n    - name: three\n      run: [b]\n      limits: { memory: 1TB }"));

    assertThat(intent.procedure().steps()).extracting(Intent.Step::limits).containsExactly(
        new StepLimits(Duration.ofSeconds(90), 512L << 20, 1024L, 64, true, false),
        new StepLimits(Duration.ofMinutes(5), 512L << 20, null, null, false, false));
    assertThat(intent.procedure().rollback()).extracting(Intent.Step::limits).containsExactly(
        new StepLimits(Duration.ofMinutes(5), 1L << 40, null, null, false, false));
    assertThat(intent.procedure().steps().getFirst().output()).satisfies(rule -> {
      assertThat(rule.form()).isInstanceOfSatisfying(OutputRule.Lines.class,
          lines -> assertThat(lines.pattern()).hasToString("[a-z]+"));
      assertThat(rule.maxBytes()).isEqualTo(2048);
    });
    assertThat(read(GOOD).procedure().steps().getFirst().limits()).isEqualTo(StepLimits.NONE);
  }

  private static Intent read(String text) {
    Complaints complaints = new Complaints("x.yaml");
    Optional<Intent> intent = IntentReader.read(text, "x", SCHEMA, complaints);
    assertThat(complaints.all()).isEmpty();
    return intent.orElseThrow();
  }

  @Test
  @DisplayName("A reconcile intent may take stale locks and release those of interrupted runs; without a lock it has no effect")
  void unattended() {
    String reconcile = with("mode: mutate", "mode: reconcile");

    assertThat(
        messages(reconcile.replace("  timeouts:", "    on_stale: take\n    on_interrupted: release\n  timeouts:")))
        .isEmpty();
    assertThat(messages(reconcile.replace("    lock: \"l-${params.app}\"", "    on_stale: take"))).containsExactly(
        "14:15: warning: on_stale: take has no effect without a lock; add controls.lock");
  }

  static Stream<Arguments> templates() {
    return Stream.of(
        mistake(RUN, "run: [echo, \"${params.ap}\"]", "18:20: there is no parameter 'ap'; did you mean 'app'?"),
        mistake(RUN, "run: [echo, \"é𝄞 ${params.app} and ${params.zebra}\"]",
            "18:41: there is no parameter 'zebra'; the parameters are app, opt, key, mid"),
        mistake(RUN, "run:\n        - bash\n        - |\n          echo hi\n          echo ${params.nop}",
            "22:16: there is no parameter 'nop'; did you mean 'app'?"),
        mistake(RUN, "run: [echo, \"\\t\\u0041${params.zebra}\"]",
            "18:28: there is no parameter 'zebra'; the parameters are app, opt, key, mid"),
        mistake(RUN, "run: [echo, \"\\x24{params.zebra}\"]",
            "18:19: there is no parameter 'zebra'; the parameters are app, opt, key, mid"),
        mistake(RUN, "run: [echo, '$${a}''${params.zebra}']",
            "18:27: there is no parameter 'zebra'; the parameters are app, opt, key, mid"),
        mistake(RUN, "run: [echo, \"a ${params.app\"]", "18:22: ${ without }; write $${ for a literal ${"),
        mistake(RUN, "run: [echo, \"${params.${params.app}}\"]",
            "18:20: a reference inside a reference is not supported"),
        mistake(RUN, "run: [echo, \"${env.HOME}\"]",
            "18:20: unknown reference ${env.HOME}; use ${params.NAME}, ${request.id}, "
                + "${request.actor}, ${intent.name}, ${intent.version} or ${lock.token}"),
        mistake(RUN, "run: [echo, \"${params.app + 1}\"]",
            "18:20: there is no parameter 'app + 1'; did you mean 'app'?"),
        mistake(RUN, "run: [echo, \"${params.opt}\"]",
            "18:20: parameter 'opt' may have no value; make it required or give it a default"),
        mistake(RUN, "run: [echo, \"${params.key}\"]", "18:20: parameter 'key' is secret, but program "
            + "arguments are visible to all users; steps read it from $PARAM_KEY, or from another variable set in env"),
        mistake(RUN, RUN + "\n      rollback: [echo, \"${params.key}\"]", "19:25: parameter 'key' is secret, but "
            + "program arguments are visible to all users; steps read it from $PARAM_KEY, or from another variable set "
            + "in env"),
        mistake(LOCK, "l-${params.key}", "14:14: parameter 'key' is secret, but lock names are visible to all users; "
            + "steps read it from $PARAM_KEY, or from another variable set in env"),
        mistake(RUN, RUN + "\n      env: { K: \"${params.key}\" }"),
        mistake(RUN, RUN + "\n      env: { K: \"${params.opt}\" }",
            "19:18: parameter 'opt' may have no value; make it required or give it a default"),
        mistake(RUN, "run: [echo, \"$${params.zebra} $ $$ {params.zebra}\"]"),
        mistake(LOCK, "l-${lock.token}",
            "14:14: ${lock.token} is known only after the lock is acquired; a lock name cannot contain it"),
        mistake("  controls:\n    lock: \"l-${params.app}\"\n",
            "  rollback: [{ name: two, run: [echo, \"${lock.token}\"] }]\n",
            "13:40: ${lock.token} needs a lock; this intent takes none"),
        mistake(RUN, "script: |\n        echo\n        echo ${params.app} ${params.ap} ${params.zebra}",
            "20:14: ${params.app} is not replaced in a script, because its value would become code; write "
                + "\"$PARAM_APP\"",
            "20:28: ${params.ap} is not replaced in a script, because its value would become code; write "
                + "\"$PARAM_APP\"",
            "20:41: ${params.zebra} is not replaced in a script, because its value would become code; the parameters "
                + "are \"$PARAM_APP\", \"$PARAM_OPT\", \"$PARAM_KEY\", \"$PARAM_MID\""),
        mistake(RUN, "script: echo ${request.id}${request.actor}${intent.name}${lock.name}${lock.token}",
            "18:20: ${request.id} is not replaced in a script, because its value would become code; write "
                + "\"$TOWER_REQUEST_ID\"",
            "18:33: ${request.actor} is not replaced in a script, because its value would become code; write "
                + "\"$TOWER_ACTOR\"",
            "18:49: ${intent.name} is not replaced in a script, because its value would become code; write "
                + "\"$TOWER_INTENT\"",
            "18:63: ${lock.name} is not replaced in a script, because its value would become code; write "
                + "\"$TOWER_LOCK_NAME\"",
            "18:75: ${lock.token} is not replaced in a script, because its value would become code; write "
                + "\"$TOWER_LOCK_TOKEN\""),
        mistake(RUN, "script: echo $$${intent.version}",
            "18:22: ${intent.version} is not replaced in a script, because its value would become code; set a "
                + "variable with it in env, such as env: { VALUE: \"${intent.version}\" }, and write \"$VALUE\""),
        mistake(RUN, "script: 'echo ${HOME} ${#a} ${b[@]} ${c:-0} ${d%.*} ${e/x/y} ${!f} $${params.app} ${params}'"),
        mistake(RUN, RUN + "\n      rollback: { script: \"echo ${params.app}\" }",
            "19:33: ${params.app} is not replaced in a script, because its value would become code; write "
                + "\"$PARAM_APP\""),
        mistake(RUN, RUN + "\n      rollback: { script: 'echo ${a[@]}' }"),
        mistake(RUN, RUN + "\n      rollback: { run: [echo, \"${params.app}\"] }"),
        mistake(RUN, RUN + "\n      rollback: { run: [echo], script: echo }",
            "19:17: must have exactly one of run, script; it has more than one"),
        mistake(RUN, RUN + "\n      rollback: { scirpt: echo }",
            "19:17: must have exactly one of run, script",
            "19:19: unknown key 'scirpt'; did you mean 'script'?"),
        mistake(RUN, RUN + "\n      rollback: echo undo",
            "19:17: must be a list: [one, two], or one line beginning with - per item; or a mapping of keys to values, "
                + "not 'echo undo'"),
        mistake(RUN, "script: \" \"", "18:15: is empty; write the script that bash runs"));
  }

  static Stream<Arguments> environments() {
    return Stream.of("LD_PRELOAD", "PATH", "BASH_ENV", "ENV", "BASH_FUNC_x", "SHELLOPTS", "BASHOPTS", "IFS", "PS4",
        "PROMPT_COMMAND", "GCONV_PATH", "DYLD_INSERT_LIBRARIES", "LD_LIBRARY_PATH")
        .map(name -> mistake(RUN, RUN + "\n      env: { OK: 1, " + name + ": x }",
            "19:21: a step cannot set the variable " + name));
  }

  static Stream<Arguments> ownEnvironment() {
    return Stream.of(
        mistake(RUN, RUN + "\n      env: { TOWER_HOME: x, PARAM_APP: y }",
            "19:14: a step cannot set the variable TOWER_HOME; such variables are set for every step",
            "19:29: a step cannot set the variable PARAM_APP; such variables are set for every step"),
        mistake(RUN, RUN + "\n      env: { \"a-b\": x, 1A: x, _a: x, BASH_FUNC%%: x }",
            "19:14: must be a variable name: letters, digits and _, not beginning with a digit, not 'a-b'",
            "19:24: must be a variable name: letters, digits and _, not beginning with a digit, not '1A'",
            "19:38: must be a variable name: letters, digits and _, not beginning with a digit, not 'BASH_FUNC%%'"));
  }

  private static Arguments badSchema(String schema, String... expected) {
    return mistake(RUN, RUN + "\n      output: { schema: " + schema + " }", expected);
  }

  static Stream<Arguments> schemas() {
    return Stream.of(
        badSchema("{ type: [object, \"null\"], properties: { pattern: { type: array, items: { enum: [a, b] }, "
            + "minItems: 1, maxItems: 2 } }, required: [pattern], additionalProperties: { minimum: 0.5 } }"),
        badSchema("{}"),
        badSchema("{ type: strin }", "19:33: must be object, array, string, integer, number, boolean, or \"null\" in "
            + "quotes, not 'strin'"),
        badSchema("{ type: [string, null] }",
            "19:42: is null; write \"\" for an empty string, and quote a word such as null, not 'null'"),
        badSchema("{ type: [], enum: [1], additionalProperties: no }",
            "19:33: is an empty list; give at least one item",
            "19:44: must be a string; put it in quotes, not '1'", "19:70: must be true or false, not 'no'"),
        badSchema("{ properties: { a: { itms: {} } } }", "19:46: unknown key 'itms'; did you mean 'items'?"),
        badSchema("{ additionalProperties: { items: { pattern: x } } }", "19:60: unknown key 'pattern'; known keys are "
            + "title, description, type, enum, properties, required, additionalProperties, items, minItems, maxItems, "
            + "minLength, maxLength, maxProperties, minimum, maximum"),
        badSchema("{ oneOf: [] }", "19:27: unknown key 'oneOf'; known keys are title, description, type, enum, "
            + "properties, required, additionalProperties, items, minItems, maxItems, minLength, maxLength, "
            + "maxProperties, minimum, maximum"),
        badSchema("{ minItems: -1, maxLength: 1.5, maximum: 1e99 }", "19:37: must be at least 0, not '-1'",
            "19:52: must be a whole number without quotes, not '1.5'",
            "19:66: must be at most 1000000000000000, not '1e99'"),
        badSchema("object", "19:25: must be a mapping of keys to values, one key per line, not 'object'"),
        badSchema("{ type: object }, json: true",
            "19:15: must have exactly one of json, lines, schema; it has more than one"));
  }

  static Stream<Arguments> secrets() {
    return Stream.of(
        mistake("  timeouts:", "  secrets: { KEY: { file: key }, API_KEY: { env: DEPLOY_KEY } }\n  timeouts:"),
        mistake("  timeouts:", "  secret: { KEY: { file: key } }\n  timeouts:",
            "15:3: unknown key 'secret'; did you mean 'secrets'?"),
        mistake("  timeouts:", "  secrets: { A: { file: a, env: A }, B: {}, C: x, D: { path: x }, E: { env: 1x } }\n"
            + "  timeouts:",
            "15:17: must have exactly one of file, env; it has more than one",
            "15:41: must have exactly one of file, env",
            "15:48: must be a mapping of keys to values, one key per line, not 'x'",
            "15:54: must have exactly one of file, env",
            "15:56: unknown key 'path'; known keys are file, env",
            "15:77: must be a variable name: letters, digits and _, not beginning with a digit, not '1x'"),
        mistake("  timeouts:", "  secrets: { LD_PRELOAD: { file: a }, TOWER_X: { file: a }, a-b: { file: \"\" }, "
            + "N: { file: \"a\\0\" } }\n  timeouts:",
            "15:14: a step cannot set the variable LD_PRELOAD",
            "15:39: a step cannot set the variable TOWER_X; such variables are set for every step",
            "15:61: must be a variable name: letters, digits and _, not beginning with a digit, not 'a-b'",
            "15:74: is empty",
            "15:91: contains a NUL character, which cannot be passed to a program"),
        mistake("  timeouts:", "  secrets: {" + IntStream.range(0, 33).mapToObj(i -> " K" + i + ": { env: A }")
            .collect(joining(",")) + " }\n  timeouts:", "15:12: has 33 keys; at most 32 are allowed"),
        mistake(RUN, RUN + "\n      env: { KEY: x }\n  secrets: { KEY: { file: key } }",
            "19:14: the variable KEY is a secret of the intent; remove it here or under secrets"));
  }

  @Test
  @DisplayName("Each secret has its source")
  void sources() {
    assertThat(read(with("  timeouts:", "  secrets: { A: { file: 1 }, B: { env: b } }\n  timeouts:")).procedure()
        .secrets()).containsExactly(entry("A", new SecretSource.FromFile("1")),
            entry("B", new SecretSource.FromEnv("b")));
    assertThat(read(GOOD).procedure().secrets()).isEmpty();
  }

  static Stream<Arguments> numbers() {
    return Stream.of(
        mistake("lock_ttl: 60", "lock_ttl: 0, step: -1, run: 900.5", "15:25: must be at least 1, not '0'",
            "15:34: must be at least 1, not '-1'",
            "15:43: must be a whole number of seconds, such as 600, without quotes, not '900.5'"),
        mistake("lock_ttl: 60", "lock_ttl: \"900\", step: 100000000000000000000, run: 0123",
            "15:25: must be a whole number of seconds, such as 600, without quotes, not '900'",
            "15:38: must be at most 604800, not '100000000000000000000'",
            "15:66: must be a whole number of seconds, such as 600, without quotes, not '0123'"),
        mistake("lock_ttl: 60", "lock_ttl: 604801", "15:25: must be at most 604800, not '604801'"),
        mistake("lock_ttl: 60", "lock_ttl: 4",
            "15:25: warning: a lock with a ttl of 4 s expires during a short pause of the host; use 30 or more"),
        mistake("lock_ttl: 60", "lock_ttl: 1e9",
            "15:25: must be a whole number of seconds, such as 600, without quotes, not '1e9'"),
        mistake(RUN, RUN + "\n      timeout: 1_0",
            "19:16: must be a whole number of seconds, such as 600, without quotes, not '1_0'"));
  }

  @ParameterizedTest
  @MethodSource({"shapes", "templates", "environments", "ownEnvironment", "numbers", "limits", "secrets", "schemas"})
  @DisplayName("TF-A36 TF-A32 all mistakes are reported at once, each with its position")
  void mistakes(String old, String replacement, List<String> expected) {
    assertThat(messages(with(old, replacement))).containsExactlyElementsOf(expected);
  }

  @Test
  @DisplayName("A valid intent is read without messages")
  void good() {
    assertThat(messages(GOOD)).isEmpty();
    assertThat(messages("---\n" + GOOD + "...\n")).isEmpty();
    assertThat(messages(GOOD.replace("\n", "\r\n"))).isEmpty();
  }

  static Stream<Arguments> schedules() {
    return Stream.of(Arguments.of("0 */5 * * * *", List.of()), Arguments.of("@daily", List.of()),
        Arguments.of("0 0 0 29 2 *", List.of()),
        Arguments.of("0 0 * * *", List.of("19:13: has 5 fields; add the seconds field in front: 0 0 0 * * *")),
        Arguments.of("* * * * * * *",
            List.of("19:13: has 7 fields; it must have 6: second minute hour day month weekday")),
        Arguments.of("daily", List.of("19:13: has 1 field; it must have 6: second minute hour day month weekday")),
        Arguments.of("0 0 0 30 2 *", List.of("19:13: never fires: no date matches it")),
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
    assertThat(messages(scheduled)).isEqualTo(expected);
  }

  @Test
  @DisplayName("A mutate intent and an intent with required parameters cannot have a schedule")
  void scheduleNotAllowed() {
    String scheduled = GOOD + "  schedule: \"0 0 0 * * *\"\n";
    assertThat(messages(scheduled)).containsExactly(
        "19:13: a mutate intent cannot have a schedule: its failure needs attention; use mode observe or reconcile");
    assertThat(messages(scheduled.replace("mode: mutate", "mode: observe"))).containsExactly(NO_LOCK,
        "19:13: a scheduled run uses default values only, but app, key are required; give them defaults");
  }

  @Test
  @DisplayName("An observe intent may respect other tools' locks but hold none")
  void observersHoldNothing() {
    String observes = GOOD.replace("mode: mutate", "mode: observe");

    assertThat(
        messages(observes.replace("  timeouts:", "    respect: [\"terraform:/infra/${params.app}\"]\n  timeouts:")))
        .containsExactly(NO_LOCK);
    assertThat(messages(observes.replace("  timeouts:", "    exclusive: [\"beads:/x\"]\n  timeouts:")))
        .containsExactly(NO_LOCK, "15:16: an observe intent holds no lock; use respect, or another mode");
  }

  @Test
  @DisplayName("Another tool's lock has a known kind and a public name; a Terraform lock can only be respected")
  void foreignLocks() {
    assertThat(messages(with("  timeouts:",
        "    respect: [\"bead:/x\", \"beads:\", \"terraform:/infra\", \"flock:/l/${params.key}\"]\n"
            + "    exclusive: [\"beads:/x\", \"terraform:/infra\", \"pidfile:/run/${lock.token}\"]\n  timeouts:")))
        .containsExactly("15:15: must be one of beads:DIR, flock:FILE, terraform:DIR, pidfile:FILE, not 'bead:/x'",
            "15:26: must be one of beads:DIR, flock:FILE, terraform:DIR, pidfile:FILE, not 'beads:'",
            "15:66: parameter 'key' is secret, but lock names are visible to all users; steps read it from $PARAM_KEY, "
                + "or from another variable set in env",
            "16:29: must be one of beads:DIR, flock:FILE, pidfile:FILE (terraform:DIR can be respected only), "
                + "not 'terraform:/infra'",
            "16:63: ${lock.token} is known only after the lock is acquired; a lock name cannot contain it");
  }
}

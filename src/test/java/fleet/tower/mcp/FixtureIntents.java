package fleet.tower.mcp;

import java.nio.file.Path;

import fleet.tower.service.config.TestService;

/** The intents that the conformance suite calls as tools. */
final class FixtureIntents {
  private FixtureIntents() {}

  static void declare(Path home) {
    TestService.makeHome(home);
    observe(home, "test-simple-text", "printf 'This is a simple text response for testing.'");
    observe(home, "test-error-handling", "echo 'This intent fails on purpose.' >&2; exit 3");
    observe(home, "failing-job", "sleep 1; echo 'This intent fails on purpose.' >&2; exit 3");
    TestService.declare(home, "test-tool-with-progress", """
        mode: observe
        steps:
          - name: first
            run: [sleep, "0.05"]
          - name: second
            run: [sleep, "0.05"]
        """);
    TestService.declare(home, "slow-compute", """
        mode: observe
        params:
          seconds: { type: integer, required: true }
          label: { type: string, default: none }
        steps:
          - name: compute
            run: [sleep, "${params.seconds}"]
        """);
  }

  private static void observe(Path home, String name, String script) {
    TestService.declare(home, name, """
        mode: observe
        steps:
          - name: work
            script: %s
        """.formatted(script.contains(": ") ? '"' + script + '"' : script));
  }
}

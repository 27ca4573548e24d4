package fleet.tower.service.answers;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client that understands nothing: after a refusal it performs the first next action with its own token, until a call
 * succeeds.
 *
 * @param before what happens in the world before it follows an action
 */
record Follower(Calls calls, Runnable before) {
  private static final int MAX_STEPS = 6;
  private static final Set<Integer> DEAD_ENDS = Set.of(400, 401, 403);

  Follower(TestService service, String token) {
    this((method, href, body) -> service.callAs(token, method, href, body), () -> {});
  }

  /** The calls of one caller. */
  interface Calls {
    Answer call(String method, String href, String body);
  }

  /** What it was answered, the first refusal first. */
  record Path(List<Answer> answers) {
    Path {
      answers = List.copyOf(answers);
    }

    Answer refusal() {
      return answers.getFirst();
    }

    Answer end() {
      return answers.getLast();
    }
  }

  /** Makes a call and follows the answers; it fails at an action that is missing or leads to a dead end. */
  Path call(String method, String href, String body) {
    List<Answer> answers = new ArrayList<>();
    answers.add(calls.call(method, href, body));
    while (answers.getLast().status() >= 400) {
      JsonNode action = first(answers.getLast());
      if (answers.size() > MAX_STEPS) {
        throw new AssertionError("no end after " + MAX_STEPS + " steps: " + answers.getLast().body());
      }
      before.run();
      Answer next = calls.call(action.path("method").asString(""), action.path("href").asString(""),
          action.has("body") ? action.get("body").toString().replace("\"NEW\"", "\"new-" + answers.size() + "\"") : "");
      if (DEAD_ENDS.contains(next.status())) {
        throw new AssertionError(action + " led to " + next.body());
      }
      answers.add(next);
    }
    return new Path(answers);
  }

  private static JsonNode first(Answer refusal) {
    JsonNode first = JsonMapper.shared().readTree(refusal.body()).path("next_actions").path(0);
    if (!first.has("method")) {
      throw new AssertionError("nothing to follow in " + refusal.body());
    }
    return first;
  }
}

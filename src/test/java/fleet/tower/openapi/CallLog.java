package fleet.tower.openapi;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The calls made so far, and their deviations from the document. */
final class CallLog {
  /** As {@code acquireLock 409}. */
  private final Set<String> answers = new TreeSet<>();
  /** As {@code acquireLock 409 lock_blocked}. */
  private final Set<String> codes = new TreeSet<>();
  /** As {@code listRuns query limit}. */
  private final Set<String> parameters = new TreeSet<>();
  private final List<String> mistakes = new ArrayList<>();

  void answered(String operation, int status, String code) {
    answers.add(operation + " " + status);
    if (!code.isEmpty()) {
      codes.add(operation + " " + status + " " + code);
    }
  }

  void gave(String operation, String parameter) {
    parameters.add(operation + " " + parameter);
  }

  void mistake(String what) {
    mistakes.add(what);
  }

  Set<String> answers() {
    return answers;
  }

  Set<String> codes() {
    return codes;
  }

  Set<String> parameters() {
    return parameters;
  }

  /** The deviations since the previous call of this method. */
  List<String> takeMistakes() {
    List<String> found = List.copyOf(mistakes);
    mistakes.clear();
    return found;
  }
}

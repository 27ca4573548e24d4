package fleet.tower.lock;

sealed interface Outcome {
  record Granted(String name) implements Outcome {}

  record Refused(String name) implements Outcome {}
}

enum Mood {
  GOOD, BAD
}

class DefaultsOverOutcomes {
  String expression(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Granted _ -> "granted";
      // A third outcome would be called refused.
      default -> "refused";
    };
  }

  void statement(Outcome outcome) {
    switch (outcome) {
      case Outcome.Granted(String name) -> name.strip();
      case null, default -> outcome.hashCode();
    }
  }

  String disguised(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Granted _ -> "granted";
      case Outcome _ -> "refused";
    };
  }

  int old(Mood mood) {
    switch (mood) {
      case GOOD:
        return 1;
      default:
        return 0;
    }
  }

  String fine(Outcome outcome, Exception error, char c) {
    String open = switch (error) {
      case IllegalStateException e -> e.getMessage();
      default -> "other";
    };
    return open + switch (c) {
      case 'a' -> 1;
      default -> 2;
    } + switch (outcome) {
      case Outcome.Granted _ -> 1;
      case Outcome.Refused _ -> 2;
    };
  }
}

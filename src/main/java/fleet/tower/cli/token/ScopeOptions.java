package fleet.tower.cli.token;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Scope;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;

/** Reads the limits and rights of a token from the options of a command. */
final class ScopeOptions {
  private ScopeOptions() {}

  static Scope of(Arguments arguments) {
    List<NamePattern> names = Stream.concat(arguments.values("intent").stream(),
        arguments.values("intents").stream().flatMap(value -> Arrays.stream(value.split(",", -1))))
        .map(NamePattern::intent).toList();
    Map<String, List<ValuePattern>> params = params(arguments.values("param"));
    if (!params.isEmpty() && names.isEmpty()) {
      throw new UsageError("--param limits the intents of the same command; name them, such as --intent 'deploy-*',"
          + " or --intent '*' for all");
    }
    return new Scope(names.stream().map(name -> new AllowedIntents(name, params)).toList(),
        arguments.values("lock").stream().map(NamePattern::lock).toList(),
        arguments.values("mailbox").stream().map(NamePattern::mailbox).toList(),
        arguments.values("task").stream().map(NamePattern::project).toList(),
        arguments.values("approve").stream().map(NamePattern::intent).toList());
  }

  private static Map<String, List<ValuePattern>> params(List<String> words) {
    Map<String, List<ValuePattern>> params = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw new UsageError("--param '" + word + "' must be NAME=VALUE, such as environment=staging");
      }
      params.computeIfAbsent(word.substring(0, equals), _ -> new ArrayList<>())
          .add(new ValuePattern(word.substring(equals + 1)));
    }
    return params;
  }
}

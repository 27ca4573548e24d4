package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;

import fleet.tower.operation.Arg;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;

/**
 * A door that writes a name itself does not change with the operation. Only literals count: a sentence about a lock is
 * no call. Commands, options, roles and paths that no operation has are their owners' own.
 */
@DisplayName("A call is declared once")
class OperationArchitectureTest {
  private static final String TABLE = "fleet/tower/operation/";

  /** The classes that write such words, by the reason. */
  private static final Map<String, Set<String>> EXCEPTIONS = Map.of(
      "prose that teaches people and models; CommandManualTest, PrimeTest and TowerPromptsTest compare it with the calls",
      Set.of("answer/prime/Instructions", "cli/CommandManual", "service/mcp/prompt/ServerInstructions",
          "service/mcp/prompt/TowerPrompts"),
      "streams and downloads, which are no operations, below the paths of operations; an annotation needs a literal",
      Set.of("service/web/AuditController", "service/web/OverviewStream", "service/web/RunEvents",
          "service/web/RunOutputController",
          "service/web/TaskStream"),
      "remedies of tower doctor and tower move, which work on a home, from rooms below the operations",
      Set.of("home/move/Survey", "lock/LocksExamination", "mailbox/sql/MailboxExamination",
          "run/members/InterruptedRunsExamination", "task/sql/ClaimExamination"),
      "the names that no intent may have, in a room below the operations; RefusedToolCallTest compares them with the tools",
      Set.of("intent/ToolName"));

  private static final Pattern PATH = pattern("(?<![\\w/.})\"])/(?:%s)(?![\\w-])",
      operation -> Stream.of(operation.path().split("/", 3)[1]));
  private static final Pattern TOOL = pattern("\\b(?:%s)\\b",
      operation -> operation.tool() == null ? Stream.empty() : Stream.of(operation.toolName()));
  private static final Pattern COMMAND = pattern("(?<![\\w-])tower (?:%s)(?![\\w-])",
      operation -> Stream.ofNullable(operation.command()));
  private static final Set<String> COMMANDS = all(operation -> Stream.ofNullable(operation.command()))
      .collect(Collectors.toSet());
  private static final Set<String> OPTIONS = all(operation -> operation.args().stream().map(Arg::option)
      .filter(Objects::nonNull)).map(option -> option.startsWith("-") ? option : "--" + option)
      .collect(Collectors.toSet());

  @Test
  @DisplayName("No path, tool, command, option or role of an operation is written anywhere but in its declaration")
  void once() {
    List<Path> sources = Project.javaFiles(Project.MAIN).stream()
        .filter(file -> !Project.MAIN.relativize(file).toString().startsWith(TABLE)).toList();
    Map<String, Set<String>> found = findings(Sources.parse(sources));
    List<String> excepted = EXCEPTIONS.values().stream().flatMap(Set::stream).toList();
    assertThat(found.keySet()).as("each exception is needed").containsAll(excepted);
    found.keySet().removeAll(excepted);
    assertThat(found).isEmpty();

    assertThat(findings(Sources.parse(Project.fixtures("operation")))).isEqualTo(Map.of("Redeclares", Set.of(
        "tool acquire_lock", "path /runs", "path /locks", "command tower force-release", "command mailbox count",
        "option --request-id", "role LockOperations.UNFREEZE")));
  }

  private static Stream<String> all(Function<Operation, Stream<String>> words) {
    return Operations.all().flatMap(words).distinct();
  }

  private static Pattern pattern(String form, Function<Operation, Stream<String>> words) {
    return Pattern.compile(form.formatted(all(words).map(Pattern::quote).collect(Collectors.joining("|"))));
  }

  /** What each class writes. */
  private static Map<String, Set<String>> findings(List<SourceFile> files) {
    Map<String, Set<String>> findings = new TreeMap<>();
    for (SourceFile file : files) {
      Set<String> words = new TreeSet<>();
      file.all(LiteralTree.class).forEach(path -> {
        if (((LiteralTree) path.getLeaf()).getValue() instanceof String text) {
          words.addAll(words(text, path.getParentPath().getLeaf()));
        }
      });
      file.all(MethodInvocationTree.class).forEach(path -> words.addAll(roles((MethodInvocationTree) path.getLeaf())));
      if (!words.isEmpty()) {
        findings.put(file.path().replaceFirst(".*/fleet/tower/|.*/", "").replace(".java", ""), words);
      }
    }
    return findings;
  }

  private static List<String> words(String text, Tree around) {
    List<String> words = new ArrayList<>();
    Map.of("path ", PATH, "tool ", TOOL, "command ", COMMAND).forEach((kind, pattern) -> pattern.matcher(text).results()
        .forEach(found -> words.add(kind + found.group())));
    String called = called(around);
    if (called != null && called.matches("Command|CommandLine") && COMMANDS.contains(text)) {
      words.add("command " + text);
    }
    if (called != null && called.matches(".*\\.(?:option|flag)") && OPTIONS.contains(text)) {
      words.add("option " + text);
    }
    return words;
  }

  /** The constructor or method whose argument a literal is; null if it is none. */
  private static @Nullable String called(Tree around) {
    return switch (around) {
      case NewClassTree created -> created.getIdentifier().toString();
      case MethodInvocationTree call -> call.getMethodSelect().toString();
      default -> null;
    };
  }

  /** A role beside the operation that has one. */
  private static List<String> roles(MethodInvocationTree call) {
    List<String> arguments = call.getArguments().stream().map(ExpressionTree::toString).toList();
    return arguments.stream().anyMatch(argument -> argument.matches("Role\\.[A-Z]+"))
        ? arguments.stream().filter(argument -> argument.matches("[A-Z]\\w*Operations\\.[A-Z_]+"))
            .map(argument -> "role " + argument).toList()
        : List.of();
  }
}

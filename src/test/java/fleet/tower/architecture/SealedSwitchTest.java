package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.sun.source.tree.BindingPatternTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.DefaultCaseLabelTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.PatternCaseLabelTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;

import fleet.tower.harness.ProofsProfile;

/**
 * A new outcome must not compile until every interface handles it. The rule covers only types of this project, because
 * an enum or exception of a library may grow.
 */
@DisplayName("A sealed type or an enum of this project is switched over without default")
@ProofsProfile
class SealedSwitchTest {

  /** With the benchmarks, which no other part of the build compiles. */
  @Test
  @DisplayName("No such switch has a default or a pattern for everything; the benchmarks compile")
  void noDefault() {
    List<Path> sources = new ArrayList<>(Project.javaFiles(Project.MAIN));
    sources.addAll(Project.javaFiles(Project.BENCH));
    assertThat(violations(Sources.analyze(sources))).isEmpty();

    assertThat(violations(Sources.analyze(Project.fixtures("outcome")))).containsExactly(
        "DefaultsOverOutcomes:18 has a default over fleet.tower.lock.Outcome",
        "DefaultsOverOutcomes:25 has a default over fleet.tower.lock.Outcome",
        "DefaultsOverOutcomes:32 takes whatever comes of fleet.tower.lock.Outcome",
        "DefaultsOverOutcomes:40 has a default over fleet.tower.lock.Mood");
  }

  private static List<String> violations(List<SourceFile> files) {
    List<String> violations = new ArrayList<>();
    for (SourceFile file : files) {
      Stream.concat(file.all(SwitchTree.class).stream(), file.all(SwitchExpressionTree.class).stream())
          .map(path -> violation(file, path)).filter(Objects::nonNull).forEach(violations::add);
    }
    return violations.stream().sorted().toList();
  }

  private static @Nullable String violation(SourceFile file, TreePath path) {
    TypeElement selector = typeOf(file, path, selector(path.getLeaf()));
    if (selector == null || !isClosed(selector)) {
      return null;
    }
    for (CaseTree branch : cases(path.getLeaf())) {
      String place = file.typeAround(path) + ":" + file.line(branch);
      if (branch.getLabels().stream().anyMatch(DefaultCaseLabelTree.class::isInstance)) {
        return place + " has a default over " + selector;
      }
      if (branch.getGuard() == null
          && branch.getLabels().stream().anyMatch(label -> takesAll(file, path, label, selector))) {
        return place + " takes whatever comes of " + selector;
      }
    }
    return null;
  }

  private static boolean isClosed(TypeElement type) {
    return type.getQualifiedName().toString().startsWith("fleet.tower.")
        && (type.getKind() == ElementKind.ENUM || type.getModifiers().contains(Modifier.SEALED));
  }

  private static boolean takesAll(SourceFile file, TreePath path, Tree label, TypeElement selector) {
    return label instanceof PatternCaseLabelTree pattern
        && pattern.getPattern() instanceof BindingPatternTree binding
        && selector.equals(typeOf(file, path, binding.getVariable().getType()));
  }

  private static @Nullable TypeElement typeOf(SourceFile file, TreePath path, Tree node) {
    TypeMirror type = file.trees().getTypeMirror(TreePath.getPath(path, node));
    return type instanceof DeclaredType declared && declared.asElement() instanceof TypeElement element
        ? element
        : null;
  }

  private static ExpressionTree selector(Tree node) {
    return node instanceof SwitchTree statement
        ? statement.getExpression()
        : ((SwitchExpressionTree) node).getExpression();
  }

  private static List<? extends CaseTree> cases(Tree node) {
    return node instanceof SwitchTree statement ? statement.getCases() : ((SwitchExpressionTree) node).getCases();
  }
}

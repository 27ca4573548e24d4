package fleet.tower.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.lang.model.element.Modifier;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;

@DisplayName("Packages and public types are documented")
class DocumentationTest {
  private static final List<SourceFile> MAIN = Sources.parse(Project.javaFiles(Project.MAIN));
  private static final List<SourceFile> TEST = Sources.parse(Project.javaFiles(Project.TEST));
  private static final List<SourceFile> FIXTURES = Sources.parse(Project.fixtures("documentation"));

  @Test
  @DisplayName("Every package of the product has a sentence that says what it is")
  void packagesAreDocumented() {
    assertThat(undocumentedPackages(MAIN)).isEmpty();

    assertThat(undocumentedPackages(FIXTURES)).containsExactly("fleet.tower.bare has no package-info.java",
        "fleet.tower.silent does not say what it is");
  }

  @Test
  @DisplayName("Every package is @NullMarked, because nulls are not checked without it")
  void packagesAreNullMarked() {
    assertThat(unmarkedPackages(MAIN)).isEmpty();
    assertThat(unmarkedPackages(TEST)).isEmpty();

    assertThat(unmarkedPackages(FIXTURES)).containsExactly("fleet.tower.bare", "fleet.tower.unmarked");
  }

  @Test
  @DisplayName("Every public type of the product has a comment that says what it is")
  void publicTypesAreDocumented() {
    assertThat(undocumentedTypes(MAIN)).isEmpty();

    assertThat(undocumentedTypes(FIXTURES)).containsExactly("Bare", "ImplicitlyPublic", "Inner");
  }

  private static List<String> undocumentedPackages(List<SourceFile> files) {
    List<String> found = new ArrayList<>();
    packages(files).forEach((name, members) -> {
      List<SourceFile> infos = infos(members);
      if (infos.isEmpty()) {
        found.add(name + " has no package-info.java");
      } else if (!infos.getFirst().isDocumented(infos.getFirst().all(PackageTree.class).getFirst())) {
        found.add(name + " does not say what it is");
      }
    });
    return found;
  }

  private static List<String> unmarkedPackages(List<SourceFile> files) {
    List<String> found = new ArrayList<>();
    packages(files).forEach((name, members) -> {
      if (infos(members).stream().noneMatch(DocumentationTest::isNullMarked)) {
        found.add(name);
      }
    });
    return found;
  }

  private static Map<String, List<SourceFile>> packages(List<SourceFile> files) {
    return files.stream()
        .collect(groupingBy(SourceFile::packageName, TreeMap::new, toList()));
  }

  private static List<SourceFile> infos(List<SourceFile> members) {
    return members.stream().filter(SourceFile::isPackageInfo).toList();
  }

  private static boolean isNullMarked(SourceFile info) {
    return info.tree().getPackageAnnotations().stream()
        .anyMatch(annotation -> annotation.getAnnotationType().toString().equals("NullMarked"));
  }

  private static List<String> undocumentedTypes(List<SourceFile> files) {
    List<String> found = new ArrayList<>();
    for (SourceFile file : files) {
      for (TreePath path : file.all(ClassTree.class)) {
        if (isPublic(path) && !file.isDocumented(path)) {
          found.add(((ClassTree) path.getLeaf()).getSimpleName().toString());
        }
      }
    }
    return found;
  }

  /** Whether a type and every type around it are public; members of an interface are implicitly public. */
  private static boolean isPublic(TreePath type) {
    Tree around = type.getParentPath().getLeaf();
    boolean isTopLevel = !(around instanceof ClassTree);
    boolean isInInterface = around.getKind() == Tree.Kind.INTERFACE;
    boolean saysPublic = ((ClassTree) type.getLeaf()).getModifiers().getFlags().contains(Modifier.PUBLIC);
    return (saysPublic || isInInterface) && (isTopLevel || isPublic(type.getParentPath()));
  }
}

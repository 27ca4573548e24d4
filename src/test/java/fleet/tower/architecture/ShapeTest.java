package fleet.tower.architecture;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;

@DisplayName("Names are checked; sizes are reported")
class ShapeTest {
  private static final int MAX_METHOD_LINES = 50;
  private static final int MAX_FILE_LINES = 400;
  private static final int MAX_CONSTRUCTOR_PARAMETERS = 7;
  private static final int MAX_PACKAGE_FILES = 12;
  private static final String EMPTY_NAMES = ".*(Impl|Utils?|Helpers?|Manager)";
  private static final String EMPTY_PACKAGES = ".*\\.(impl|utils?|helpers?|common|misc)(\\..*)?";

  private static final List<SourceFile> MAIN = Sources.parse(Project.javaFiles(Project.MAIN));
  private static final List<SourceFile> TEST = Sources.parse(Project.javaFiles(Project.TEST));
  private static final List<SourceFile> FIXTURES = Sources.parse(Project.fixtures("shape"));

  @Test
  @DisplayName("Long code is listed in target/shape-report.txt, without failing the build")
  void sizes() throws IOException {
    List<SourceFile> all = Stream.of(MAIN, TEST).flatMap(List::stream).toList();
    List<String> report = Stream.of(longMethods(all), longFiles(all), longConstructors(all), largePackages(MAIN))
        .flatMap(List::stream).toList();
    Files.write(Files.createDirectories(Project.BASE.resolve("target")).resolve("shape-report.txt"), report);
  }

  @Test
  @DisplayName("The report lists methods over 50 lines, files over 400, constructors over 7 parameters and packages over 12 files")
  void findsSizes() {
    assertThat(longMethods(FIXTURES)).containsExactly("Sprawling.sprawl has 51 lines",
        "Sprawling.(initializer) has 51 lines");
    assertThat(longFiles(List.of(sourceOf(400), sourceOf(401)))).containsExactly("Lines401.java has 401 lines");
    // The header of a record is exempt: an audit event has as many members as its document, each read by its name.
    assertThat(longConstructors(FIXTURES)).containsExactly("Demanding has a constructor with 8 parameters",
        "WideRecord has a constructor with 9 parameters");
    Stream<SourceFile> full = IntStream.range(0, 12).mapToObj(i -> source("full", "C" + i));
    Stream<SourceFile> over = IntStream.range(0, 13).mapToObj(i -> source("over", "C" + i));
    SourceFile info = source("full", "package-info");
    assertThat(largePackages(Stream.of(full, over, Stream.of(info)).flatMap(files -> files).toList()))
        .containsExactly("over has 13 files");
  }

  @Test
  @DisplayName("A name is specific: no Impl, no Util, no Helper, no Manager")
  void namesSaySomething() {
    assertThat(emptyNames(MAIN)).isEmpty();
    assertThat(emptyNames(TEST)).isEmpty();

    assertThat(emptyNames(FIXTURES)).containsExactlyInAnyOrder("LockStoreImpl", "StringUtil", "LockUtils",
        "LockHelper", "LockManager", "fleet.tower.util");
  }

  private static List<String> longMethods(List<SourceFile> files) {
    List<String> found = new ArrayList<>();
    for (SourceFile file : files) {
      Stream
          .concat(file.all(MethodTree.class).stream(),
              file.all(BlockTree.class).stream().filter(ShapeTest::isInitializer))
          .filter(path -> file.lines(path.getLeaf()) > MAX_METHOD_LINES)
          .forEach(path -> found.add(file.typeAround(path) + "." + nameOf(path.getLeaf()) + " has "
              + file.lines(path.getLeaf()) + " lines"));
    }
    return found;
  }

  private static boolean isInitializer(TreePath block) {
    return block.getParentPath().getLeaf() instanceof ClassTree;
  }

  private static String nameOf(Tree code) {
    return code instanceof MethodTree method ? method.getName().toString() : "(initializer)";
  }

  private static List<String> longFiles(List<SourceFile> files) {
    return files.stream().filter(file -> file.lines() > MAX_FILE_LINES)
        .map(file -> file.path() + " has " + file.lines() + " lines").toList();
  }

  private static List<String> longConstructors(List<SourceFile> files) {
    List<String> found = new ArrayList<>();
    for (SourceFile file : files) {
      for (TreePath path : file.all(MethodTree.class)) {
        int parameters = ((MethodTree) path.getLeaf()).getParameters().size();
        if (parameters > MAX_CONSTRUCTOR_PARAMETERS && isConstructorWithParameters(file, path)) {
          found.add(file.typeAround(path) + " has a constructor with " + parameters + " parameters");
        }
      }
    }
    return found;
  }

  /** The compiler gives a compact constructor the parameters of its record; its source text ends with the name. */
  private static boolean isConstructorWithParameters(SourceFile file, TreePath path) {
    MethodTree method = (MethodTree) path.getLeaf();
    return method.getName().contentEquals("<init>")
        && !file.textBetween(method, method.getBody()).strip().endsWith(file.typeAround(path));
  }

  private static List<String> largePackages(List<SourceFile> files) {
    return files.stream().filter(file -> !file.isPackageInfo())
        .collect(groupingBy(SourceFile::packageName, TreeMap::new, counting())).entrySet().stream()
        .filter(entry -> entry.getValue() > MAX_PACKAGE_FILES)
        .map(entry -> entry.getKey() + " has " + entry.getValue() + " files").toList();
  }

  private static List<String> emptyNames(List<SourceFile> files) {
    Stream<String> packages = files.stream().map(SourceFile::packageName).filter(it -> it.matches(EMPTY_PACKAGES));
    Stream<String> types = files.stream().flatMap(file -> file.all(ClassTree.class).stream())
        .map(path -> ((ClassTree) path.getLeaf()).getSimpleName().toString()).filter(it -> it.matches(EMPTY_NAMES));
    return Stream.concat(packages, types).distinct().toList();
  }

  private static SourceFile source(String packageName, String name) {
    return Sources.parse(packageName + "/" + name + ".java", "package " + packageName + ";\n");
  }

  private static SourceFile sourceOf(int lines) {
    return Sources.parse("Lines" + lines + ".java", "\n".repeat(lines - 1) + "class Lines {}\n");
  }
}

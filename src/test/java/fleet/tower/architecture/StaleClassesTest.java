package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What is compiled again after a change, by src/build/StaleClasses.java")
class StaleClassesTest {
  private static final String MAIN = "src/main/java/p/Main.java";
  private static final String USER = "src/main/java/p/User.java";
  private static final String TEST = "src/test/java/p/MainTest.java";
  private static final String OTHER = "src/test/java/p/OtherTest.java";
  @TempDir
  private static Path program = Path.of("");
  @TempDir
  private Path project = Path.of("");

  @BeforeAll
  static void compile() {
    compile(program, List.of(Project.BASE.resolve("src/build/StaleClasses.java")), "");
  }

  private static void compile(Path classes, List<Path> sources, String classPath) {
    List<String> line = new ArrayList<>(
        List.of("-proc:none", "-XDsuppressNotes", "-cp", classPath, "-d", classes.toString()));
    sources.forEach(it -> line.add(it.toString()));
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, line.toArray(String[]::new))).isZero();
  }

  /** A project that is compiled. */
  @BeforeEach
  void begin() throws Exception {
    write("pom.xml", "<project/>");
    write(MAIN, """
        package p;

        /** A class. */
        class Main {
          static final String SHOWN = Main.HIDDEN + "!";
          private static final String HIDDEN = "one";
          private int count = 1;

          @SuppressWarnings("unused")
          int next(int step) {
            Runnable inside = new Runnable() {
              public void run() {
                add(step);
              }
            };
            inside.run();
            return count;
          }

          private void add(int step) {
            count += step;
          }

          record Pair(int left) {}
        }
        """);
    write(USER, "package p;\nclass User { String text = Main.SHOWN; }\n");
    write(TEST, "package p;\nclass MainTest { void next() { new Main().next(1); } }\n");
    write(OTHER, "package p;\nclass OtherTest {}\n");
    assertThat(stale()).containsExactly(MAIN, USER, TEST, OTHER);
    assertThat(stale()).isEmpty();
  }

  private void write(String file, String content) throws IOException {
    Files.createDirectories(project.resolve(file).getParent());
    Files.writeString(project.resolve(file), content);
  }

  /** The sources without a class after the program has run; they are compiled then. */
  private List<String> stale() throws Exception {
    return stale("no checks");
  }

  private List<String> stale(String checks) throws Exception {
    try (URLClassLoader loader = new URLClassLoader(new URL[]{program.toUri().toURL()},
        ClassLoader.getPlatformClassLoader())) {
      Method main = loader.loadClass("StaleClasses").getMethod("main", String[].class);
      main.setAccessible(true);
      main.invoke(null, (Object) new String[]{project.toString(), project.resolve("target").toString(), checks});
    }
    List<String> stale = new ArrayList<>();
    compileWhatIsMissing("src/main/java", project.resolve("target/classes"), stale);
    compileWhatIsMissing("src/test/java", project.resolve("target/test-classes"), stale);
    return stale;
  }

  private void compileWhatIsMissing(String root, Path classes, List<String> stale) throws IOException {
    Files.createDirectories(classes);
    List<Path> missing = new ArrayList<>();
    try (Stream<Path> sources = Files.walk(project.resolve(root))) {
      sources.filter(it -> it.toString().endsWith(".java")).sorted().forEach(source -> {
        Path type = project.resolve(root).relativize(source);
        if (!Files.exists(classes.resolve(type.toString().replace(".java", ".class")))) {
          missing.add(source);
          stale.add(root + "/" + type);
        }
      });
    }
    if (!missing.isEmpty()) {
      compile(classes, missing, project.resolve("target/classes") + ":" + classes);
    }
  }

  private void replace(String file, String old, String replacement) throws IOException {
    String before = Files.readString(project.resolve(file));
    assertThat(before).contains(old);
    write(file, before.replace(old, replacement));
  }

  @ParameterizedTest
  @CsvSource({"return count;,return -count;", "private void add(int step),private void add(long step)",
      "private int count = 1,private short count = 1", "/** A class. */,/** The class. */",
      "add(step);,add(step + 1);"})
  @DisplayName("A change inside of a method, an annotation, a private member or a comment: this source alone")
  void inside(String old, String replacement) throws Exception {
    replace(MAIN, old, replacement);
    assertThat(stale()).containsExactly(MAIN);
    assertThat(stale()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"\"one\",\"two\"", "\"!\",\"?\"", "int next(int step),long next(int step)",
      "record Pair(int left),record Pair(long left)", "record Pair(int left),'record Pair(int left, int right)'",
      "record Pair(int left) {},record Pair(int left) { Pair { } }", "class Main {,final class Main {",
      "@SuppressWarnings(\"unused\"),@Deprecated"})
  @DisplayName("A change that others can see, also of a private constant that another may be made of: everything")
  void seen(String old, String replacement) throws Exception {
    replace(MAIN, old, replacement);
    assertThat(stale()).containsExactly(MAIN, USER, TEST, OTHER);
  }

  @Test
  @DisplayName("A change of a test: this test alone, or all tests if others can see it; main is left alone")
  void test() throws Exception {
    replace(TEST, "next(1)", "next(2)");
    assertThat(stale()).containsExactly(TEST);
    replace(TEST, "void next()", "void more()");
    assertThat(stale()).containsExactly(TEST, OTHER);
  }

  @Test
  @DisplayName("A new source, a removed one, another pom.xml: everything; other checks of the tests: the tests")
  void whole() throws Exception {
    write("src/main/java/p/Added.java", "package p;\nclass Added {}\n");
    assertThat(stale()).hasSize(5);
    Files.delete(project.resolve("src/main/java/p/Added.java"));
    assertThat(stale()).containsExactly(MAIN, USER, TEST, OTHER);
    assertThat(project.resolve("target/classes/p/Added.class")).doesNotExist();
    write("pom.xml", "<project>other</project>");
    assertThat(stale()).containsExactly(MAIN, USER, TEST, OTHER);
    assertThat(stale("checks")).containsExactly(TEST, OTHER);
  }

  @Test
  @DisplayName("Classes inside of a source are removed with it")
  void nested() throws Exception {
    assertThat(classes()).contains("Main$1.class", "Main$Pair.class");
    replace(MAIN, """
        new Runnable() {
              public void run() {
                add(step);
              }
            };""", "() -> add(step);");
    assertThat(stale()).containsExactly(MAIN);
    assertThat(classes()).contains("Main$Pair.class").doesNotContain("Main$1.class");
  }

  private Set<String> classes() throws IOException {
    try (Stream<Path> files = Files.list(project.resolve("target/classes/p"))) {
      return new TreeSet<>(files.map(it -> it.getFileName().toString()).toList());
    }
  }
}

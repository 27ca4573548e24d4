package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;

/** A parser of sources, based on the compiler. */
final class Sources {
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
  private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null,
      StandardCharsets.UTF_8);

  private Sources() {}

  /** Parses files without types, in milliseconds. */
  static List<SourceFile> parse(List<Path> files) {
    return parseObjects(FILES.getJavaFileObjectsFromPaths(files));
  }

  /** Parses a text that is not a file. */
  static SourceFile parse(String path, String text) {
    return parseObjects(List.of(new Text(path, text))).getFirst();
  }

  /** Parses files and finds the type of every expression. */
  static List<SourceFile> analyze(List<Path> files) {
    Task task = Task.of(FILES.getJavaFileObjectsFromPaths(files), List.of());
    List<SourceFile> read = task.parse();
    task.analyze();
    return read;
  }

  /** Compiles to class files; the project's own classes are on the class path. */
  static void compile(List<Path> files, Path output) {
    Task task = Task.of(FILES.getJavaFileObjectsFromPaths(files), List.of("-d", output.toString()));
    task.javac().call();
    task.requireNoErrors();
  }

  private static List<SourceFile> parseObjects(Iterable<? extends JavaFileObject> files) {
    Task task = Task.of(files, List.of());
    List<SourceFile> read = task.parse();
    task.requireNoErrors();
    return read;
  }

  private record Task(JavacTask javac, DiagnosticCollector<JavaFileObject> diagnostics) {

    static Task of(Iterable<? extends JavaFileObject> files, List<String> options) {
      List<String> all = new ArrayList<>(List.of("-proc:none", "-cp", System.getProperty("java.class.path")));
      all.addAll(options);
      DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
      return new Task((JavacTask) COMPILER.getTask(null, FILES, diagnostics, all, null, files), diagnostics);
    }

    List<SourceFile> parse() {
      try {
        DocTrees trees = DocTrees.instance(javac);
        List<SourceFile> read = new ArrayList<>();
        for (CompilationUnitTree unit : javac.parse()) {
          JavaFileObject file = unit.getSourceFile();
          read.add(new SourceFile(pathOf(file), file.getCharContent(true).toString(), unit, trees));
        }
        return read;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void analyze() {
      try {
        javac.analyze();
        requireNoErrors();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void requireNoErrors() {
      assertThat(diagnostics.getDiagnostics()).filteredOn(it -> it.getKind() == Diagnostic.Kind.ERROR).isEmpty();
    }

    private static String pathOf(JavaFileObject file) {
      return Project.BASE.relativize(Path.of(file.toUri())).toString();
    }
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String path, String text) {
      super(Project.BASE.resolve(path).toUri(), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Stream;

import javax.lang.model.element.Modifier;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;

/**
 * Removes the classes that are out of date, so that the compiler makes them again. If only the inside of a source's
 * methods changed, these are its own. If other sources can see the change, these are all classes, or those of all tests
 * if it is in a test: a list of who uses what could be wrong.
 *
 * <p>The sources as they were compiled last are kept beside the classes, and compared with those of now.
 */
class StaleClasses {
  private final Path sources;
  private final Path classes;
  private final Path last;
  private final Path lastSettings;
  private final String settings;

  /** The sources in a directory, and the classes that are made of them with these settings of the compiler. */
  private StaleClasses(Path sources, Path classes, Path last, String settings) {
    this.sources = sources;
    this.classes = classes;
    this.last = last.resolve("sources");
    lastSettings = last.resolve("settings");
    this.settings = settings;
  }

  /** The arguments: the project, its directory for outputs, and what the compiler checks in tests. */
  public static void main(String[] arguments) throws IOException {
    Path source = Path.of(arguments[0], "src");
    Path target = Path.of(arguments[1]);
    String settings = Runtime.version() + "\n" + Files.readString(Path.of(arguments[0], "pom.xml"));
    StaleClasses main = new StaleClasses(source.resolve("main/java"), target.resolve("classes"),
        target.resolve("compiled/main"), settings);
    StaleClasses test = new StaleClasses(source.resolve("test/java"), target.resolve("test-classes"),
        target.resolve("compiled/test"), settings + arguments[2]);
    Changes changes = main.changes(false);
    // The tests first: if this is ended in between, it finds the same changes of main again.
    test.remove(test.changes(changes.whole));
    main.remove(changes);
  }

  /** The sources to be compiled, and whether these are all. */
  private record Changes(boolean whole, List<Path> sources) {}

  private Changes changes(boolean whole) throws IOException {
    TreeSet<Path> all = sources(sources);
    List<Path> changed = new ArrayList<>();
    if (whole || !Files.exists(lastSettings) || !Files.readString(lastSettings).equals(settings)
        || !all.equals(sources(last))) {
      return new Changes(true, List.copyOf(all));
    }
    for (Path source : all) {
      if (Files.mismatch(sources.resolve(source), last.resolve(source)) >= 0) {
        if (!seenByOthers(last.resolve(source)).equals(seenByOthers(sources.resolve(source)))) {
          return new Changes(true, List.copyOf(all));
        }
        changed.add(source);
      }
    }
    return new Changes(false, changed);
  }

  private void remove(Changes changes) throws IOException {
    if (changes.whole) {
      Files.deleteIfExists(lastSettings);
      removeClasses(classes, "");
      remove(last);
    }
    for (Path source : changes.sources) {
      if (!changes.whole) {
        removeClasses(classes.resolve(source).getParent(), source.getFileName().toString().replace(".java", ""));
      }
      Files.createDirectories(last.resolve(source).getParent());
      Files.write(last.resolve(source), Files.readAllBytes(sources.resolve(source)));
    }
    Files.createDirectories(lastSettings.getParent());
    Files.writeString(lastSettings, settings);
  }

  private static TreeSet<Path> sources(Path root) throws IOException {
    TreeSet<Path> sources = new TreeSet<>();
    if (Files.isDirectory(root)) {
      try (Stream<Path> files = Files.walk(root)) {
        files.filter(it -> it.toString().endsWith(".java")).forEach(it -> sources.add(root.relativize(it)));
      }
    }
    return sources;
  }

  /** Removes the classes of a source and those inside of it; of all sources below the directory without a name. */
  private static void removeClasses(Path directory, String name) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory, name.isEmpty() ? Integer.MAX_VALUE : 1)) {
      for (Path file : files.toList()) {
        String it = file.getFileName().toString();
        if (it.endsWith(".class") && (name.isEmpty() || it.equals(name + ".class") || it.startsWith(name + "$"))) {
          Files.delete(file);
        }
      }
    }
  }

  private static void remove(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    Files.walkFileTree(directory, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Files.delete(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult postVisitDirectory(Path visited, IOException error) throws IOException {
        Files.delete(visited);
        return FileVisitResult.CONTINUE;
      }
    });
  }

  /**
   * All that another source can see of this one: everything but the inside of methods, private methods and fields, what
   * annotations say, and comments. Private constants count, because others may be made of them.
   */
  private static String seenByOthers(Path source) throws IOException {
    if (source.endsWith("package-info.java")) {
      return Files.readString(source);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(errors, null, StandardCharsets.UTF_8)) {
      JavacTask task = (JavacTask) compiler.getTask(null, files, errors, List.of("-proc:none"), null,
          files.getJavaFileObjects(source));
      StringJoiner seen = new StringJoiner("\n");
      for (CompilationUnitTree unit : task.parse()) {
        seen.add(String.valueOf(unit.getPackage())).add(unit.getImports().toString());
        unit.getTypeDecls().forEach(it -> see(it, false, seen));
      }
      // The compiler says what is wrong in it.
      return errors.getDiagnostics().isEmpty() ? seen.toString() : Files.readString(source);
    }
  }

  private static void see(Tree tree, boolean inRecord, StringJoiner seen) {
    switch (tree) {
      case ClassTree type -> {
        seen.add((type.getKind() == Tree.Kind.ANNOTATION_TYPE ? type.getModifiers() : modifiers(type.getModifiers()))
            + " " + type.getKind() + " " + type.getSimpleName() + type.getTypeParameters() + type.getExtendsClause()
            + type.getImplementsClause() + type.getPermitsClause());
        type.getMembers().forEach(it -> see(it, type.getKind() == Tree.Kind.RECORD, seen));
        seen.add("end");
      }
      case MethodTree method -> {
        boolean constructor = method.getReturnType() == null;
        if (constructor || !method.getModifiers().getFlags().contains(Modifier.PRIVATE)) {
          seen.add(modifiers(method.getModifiers()) + " " + method.getTypeParameters() + method.getReturnType() + " "
              + method.getName() + method.getParameters() + method.getThrows() + method.getDefaultValue()
              + (method.getBody() == null));
        }
      }
      case VariableTree field -> {
        Set<Modifier> modifiers = field.getModifiers().getFlags();
        if (inRecord || modifiers.contains(Modifier.STATIC) || !modifiers.contains(Modifier.PRIVATE)) {
          seen.add(field.toString());
        }
      }
      default -> {
        // An initializer is the inside of a method.
      }
    }
  }

  private static String modifiers(ModifiersTree modifiers) {
    return modifiers.getFlags() + modifiers.getAnnotations().stream()
        .map(it -> it.getAnnotationType().toString().equals("Deprecated") ? it : it.getAnnotationType()).toList()
        .toString();
  }
}

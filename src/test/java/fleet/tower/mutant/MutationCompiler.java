package fleet.tower.mutant;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles mutants in memory, against the classes of this JVM. */
public final class MutationCompiler {
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
  /** Shared by all compilations, which take turns, because it remembers what the JDK and the jars contain. */
  private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

  private MutationCompiler() {}

  /** The code of the changed class and those within it, by their names. */
  public static Map<String, byte[]> compile(Mutation mutation) throws IOException {
    return compile(mutation, List.of());
  }

  /** The same, with the code of classes that may have copied constants of the changed one. */
  static Map<String, byte[]> compileWithUsers(Mutation mutation) throws IOException {
    return compile(mutation, mutation.users());
  }

  private static synchronized Map<String, byte[]> compile(Mutation mutation, List<Path> users) throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    sources.add(new Source(mutation));
    FILES.getJavaFileObjectsFromPaths(users).forEach(sources::add);
    Map<String, ByteArrayOutputStream> classes = new HashMap<>();
    List<String> options = List.of("-proc:none", "-implicit:none", "-g", "-parameters", "-classpath",
        System.getProperty("java.class.path"));
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    if (!COMPILER.getTask(null, new InMemory(FILES, classes), problems, options, null, sources).call()) {
      throw new IllegalStateException(mutation.name() + " does not compile: " + problems.getDiagnostics());
    }
    Map<String, byte[]> code = new HashMap<>();
    classes.forEach((name, bytes) -> code.put(name, bytes.toByteArray()));
    return code;
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(Mutation mutation) throws IOException {
      super(URI.create("mutant:///" + mutation.className().replace('.', '/') + ".java"), Kind.SOURCE);
      text = mutation.source();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes;

    InMemory(JavaFileManager files, Map<String, ByteArrayOutputStream> classes) {
      super(files);
      this.classes = classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(Location location, String className, JavaFileObject.Kind kind,
        FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("mutant:///" + className.replace('.', '/') + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream code = new ByteArrayOutputStream();
          classes.put(className, code);
          return code;
        }
      };
    }
  }
}

package fleet.tower.lock.file.mutant;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseRules;
import fleet.tower.lock.file.Simulation;

/** Loads the whole product and its simulation again, with one class compiled from a mutant's source. */
final class MutantLoader extends ClassLoader {
  private static final String OURS = "fleet.tower.";
  /** The code of the classes that were loaded without a bug. */
  private static final Map<String, byte[]> SOUND = new ConcurrentHashMap<>();
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
  /** Shared by all compilations, which take turns, because it remembers what the JDK and the jars contain. */
  private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

  private final Map<String, byte[]> mutated;

  MutantLoader(Mutant mutant) throws IOException {
    super(MutantLoader.class.getClassLoader());
    this.mutated = compile(mutant);
  }

  /** Runs the simulation until it finds the bug; returns the broken promise, or null. */
  @Nullable
  String search(long firstSeed, long schedules, @Nullable String only) throws ReflectiveOperationException {
    return (String) loadClass(Simulation.class.getName())
        .getMethod("firstViolation", long.class, long.class, String.class).invoke(null, firstSeed, schedules, only);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] code = mutated.get(name);
    if (code == null) {
      code = SOUND.get(name);
    }
    if (code == null) {
      code = read(name);
      SOUND.put(name, code);
    }
    return defineClass(name, code, 0, code.length);
  }

  private byte[] read(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static synchronized Map<String, byte[]> compile(Mutant mutant) throws IOException {
    Map<String, ByteArrayOutputStream> classes = new HashMap<>();
    List<String> options = List.of("-proc:none", "-implicit:none", "-g", "-classpath",
        String.join(System.getProperty("path.separator"), placeOf(LeaseRules.class), placeOf(NullMarked.class)));
    if (!COMPILER.getTask(null, new InMemory(FILES, classes), null, options, null, List.of(new Source(mutant)))
        .call()) {
      throw new IllegalStateException(mutant + " does not compile");
    }
    Map<String, byte[]> code = new HashMap<>();
    classes.forEach((name, bytes) -> code.put(name, bytes.toByteArray()));
    return code;
  }

  private static String placeOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(Mutant mutant) throws IOException {
      super(URI.create("mutant:///" + mutant.className().replace('.', '/') + ".java"), Kind.SOURCE);
      text = mutant.source();
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
        javax.tools.FileObject sibling) {
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

package fleet.tower.lock.file.mutant;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.file.Simulation;
import fleet.tower.mutant.MutationCompiler;

/** Loads the whole product and its simulation again, with one class compiled from a mutant's source. */
final class MutantLoader extends ClassLoader {
  private static final String OURS = "fleet.tower.";
  /** The code of the classes that were loaded without a bug. */
  private static final Map<String, byte[]> SOUND = new ConcurrentHashMap<>();

  private final Map<String, byte[]> mutated;

  MutantLoader(Mutant mutant) throws IOException {
    super(MutantLoader.class.getClassLoader());
    this.mutated = MutationCompiler.compile(mutant.mutation());
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
}

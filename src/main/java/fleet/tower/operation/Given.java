package fleet.tower.operation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/** The arguments of one request, by name. */
public final class Given {
  /** No arguments. */
  public static final Given NOTHING = new Given(Map.of());

  private final Map<Arg<?>, Object> values;

  private Given(Map<Arg<?>, Object> values) {
    this.values = values;
  }

  /** The same arguments and one more, or another value for one of them. */
  public <T> Given with(Arg<T> arg, T value) {
    Map<Arg<?>, Object> more = new LinkedHashMap<>(values);
    more.put(arg, value);
    return new Given(more);
  }

  /** The same arguments without one. */
  public Given without(Arg<?> arg) {
    Map<Arg<?>, Object> fewer = new LinkedHashMap<>(values);
    fewer.remove(arg);
    return new Given(fewer);
  }

  /** Whether the caller gave an argument. */
  public boolean has(Arg<?> arg) {
    return values.containsKey(arg);
  }

  /** An argument that is required or has a value if it is absent. */
  public <T> T get(Arg<T> arg) {
    T value = orNull(arg);
    if (value == null) {
      throw new IllegalStateException(arg.name() + " is neither required nor has a default");
    }
    return value;
  }

  /** An argument that may be absent. */
  public <T> Optional<T> find(Arg<T> arg) {
    return Optional.ofNullable(orNull(arg));
  }

  /** An argument; null if it is absent and has no value then. */
  @SuppressWarnings("unchecked")
  public <T> @Nullable T orNull(Arg<T> arg) {
    Object value = values.get(arg);
    return value == null ? arg.otherwise() : (T) value;
  }

  /** Passes what was given, in its order. */
  public void forEach(BiConsumer<Arg<?>, Object> consumer) {
    values.forEach(consumer);
  }

  /** Whether an argument has this value. */
  public boolean holds(Object value) {
    return values.containsValue(value);
  }

  /** Whether nothing was given. */
  public boolean isEmpty() {
    return values.isEmpty();
  }
}

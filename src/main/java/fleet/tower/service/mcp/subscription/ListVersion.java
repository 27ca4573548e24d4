package fleet.tower.service.mcp.subscription;

import java.util.List;
import java.util.function.Supplier;

/** Numbers the versions of a list, which is cheap to compare as long as its elements are the same objects. */
final class ListVersion<T> implements Supplier<String> {
  private final Supplier<List<T>> source;
  private List<T> last = List.of();
  private long number;

  ListVersion(Supplier<List<T>> source) {
    this.source = source;
  }

  @Override
  public String get() {
    List<T> now = source.get();
    if (!now.equals(last)) {
      last = now;
      number++;
    }
    return Long.toString(number);
  }
}

package fleet.tower.foreign;

import java.util.List;

/** The foreign locks that must be free when a run starts, and those that it holds while it runs. */
public record ForeignTerms(List<ForeignName> respect, List<ForeignName> exclusive) {
  /** No foreign locks. */
  public static final ForeignTerms NONE = new ForeignTerms(List.of(), List.of());

  /** Removes duplicate names. */
  public ForeignTerms {
    respect = respect.stream().distinct().toList();
    exclusive = exclusive.stream().distinct().toList();
  }

  public boolean isEmpty() {
    return respect.isEmpty() && exclusive.isEmpty();
  }
}

package fleet.tower.foreign;

import java.util.List;

/** Which foreign locks must be free when a run begins, and which it holds as long as it is at work. */
public record ForeignTerms(List<ForeignName> respect, List<ForeignName> exclusive) {
  /** None at all. */
  public static final ForeignTerms NONE = new ForeignTerms(List.of(), List.of());

  /** A name that stands twice is meant once. */
  public ForeignTerms {
    respect = respect.stream().distinct().toList();
    exclusive = exclusive.stream().distinct().toList();
  }

  public boolean isEmpty() {
    return respect.isEmpty() && exclusive.isEmpty();
  }
}

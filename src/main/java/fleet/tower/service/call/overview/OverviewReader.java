package fleet.tower.service.call.overview;

/** Receives the overview and its changes. */
public interface OverviewReader {

  /** Whether to continue; called often. */
  boolean wantsMore();

  /**
   * Receives an event.
   *
   * @param name its name, such as {@code change}
   *
   * @param json its data, a JSON object
   */
  void event(String name, String json);
}

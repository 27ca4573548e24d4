package fleet.tower.run;

/**
 * The end of a step's output that is not stored where it is read.
 *
 * @param hostId the host that executed the step
 * @param from the position of the first missing byte
 * @param isLost whether the run was interrupted; then its host was lost, and may return with the output
 */
public record MissingOutput(String hostId, long from, boolean isLost) {

  /** What is missing, as a sentence without its full stop. */
  public String note() {
    return isLost
        ? "host " + hostId + " was lost; its output after byte " + from + " was not stored"
        : "output after byte " + from + " is not stored; host " + hostId + " executed the run";
  }

  /** The same as a line of output. */
  public String line() {
    return "[tower] " + note();
  }
}

package fleet.tower.service.web;

import static java.util.Objects.requireNonNull;

/** Where and as which process the service runs, for the readers of the locks that it writes. */
public record Host(String id, long pid) {
  public Host {
    requireNonNull(id);
  }
}

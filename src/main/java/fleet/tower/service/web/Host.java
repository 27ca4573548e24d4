package fleet.tower.service.web;

import static java.util.Objects.requireNonNull;

/** The host and process of the service, as written into locks. */
public record Host(String id, long pid) {
  public Host {
    requireNonNull(id);
  }
}

package fleet.tower.service.call.lock;

/** The host and process of the service, as written into locks. */
public record Host(String id, long pid) {}

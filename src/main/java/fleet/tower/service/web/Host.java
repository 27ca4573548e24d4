package fleet.tower.service.web;

/** The host and process of the service, as written into locks. */
public record Host(String id, long pid) {}

package fleet.tower.service.call;

/**
 * Any JSON value in a {@link Body}, including null.
 *
 * @param raw its text exactly as it was sent
 */
public record AnyJson(String raw) {}

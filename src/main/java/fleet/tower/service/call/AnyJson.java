package fleet.tower.service.call;

/**
 * Any JSON value in a {@link Body}, also null.
 *
 * @param raw the text of it exactly as it was sent
 */
public record AnyJson(String raw) {}

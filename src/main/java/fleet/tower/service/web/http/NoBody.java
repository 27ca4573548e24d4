package fleet.tower.service.web.http;

/** The body of a call that takes no members: {@code {}}, or nothing. */
public record NoBody() implements Body {}

package fleet.tower.service.web.http;

import fleet.tower.service.call.Body;
/** The body of a call that takes no members: {@code {}}, or nothing. */
public record NoBody() implements Body {}

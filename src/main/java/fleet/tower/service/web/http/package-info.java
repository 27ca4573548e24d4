/** What all HTTP calls share: bodies, queries, roles, problem documents, streams. */
@NullMarked
package fleet.tower.service.web.http;

import org.jspecify.annotations.NullMarked;

/** What every call over HTTP has in common: who may make it, what a body may hold, and how errors are told. */
@NullMarked
package fleet.tower.service.web.http;

import org.jspecify.annotations.NullMarked;

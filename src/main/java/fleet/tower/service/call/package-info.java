/** The calls of the service for every door, without HTTP: their answers, problems and bounded waits. */
@NullMarked
package fleet.tower.service.call;

import org.jspecify.annotations.NullMarked;

/** The Spring configuration of the service, and its lifecycle as a process. */
@NullMarked
package fleet.tower.service.config;

import org.jspecify.annotations.NullMarked;

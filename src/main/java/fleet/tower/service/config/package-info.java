/** The service put together by Spring, and its life as a process. */
@NullMarked
package fleet.tower.service.config;

import org.jspecify.annotations.NullMarked;

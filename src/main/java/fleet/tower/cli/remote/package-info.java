/** Commands performed by a service: requests and the reading of its answers. */
@NullMarked
package fleet.tower.cli.remote;

import org.jspecify.annotations.NullMarked;

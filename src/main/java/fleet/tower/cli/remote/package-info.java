/** Commands done by a service: what it is asked, and what its answers mean. */
@NullMarked
package fleet.tower.cli.remote;

import org.jspecify.annotations.NullMarked;

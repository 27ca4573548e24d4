@NullMarked
package fleet.tower.cli.guard;

import org.jspecify.annotations.NullMarked;

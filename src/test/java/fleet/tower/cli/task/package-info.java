@NullMarked
package fleet.tower.cli.task;

import org.jspecify.annotations.NullMarked;

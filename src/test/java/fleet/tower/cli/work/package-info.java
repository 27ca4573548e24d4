@NullMarked
package fleet.tower.cli.work;

import org.jspecify.annotations.NullMarked;

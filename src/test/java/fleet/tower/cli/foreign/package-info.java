@NullMarked
package fleet.tower.cli.foreign;

import org.jspecify.annotations.NullMarked;

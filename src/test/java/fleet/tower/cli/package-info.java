@NullMarked
package fleet.tower.cli;

import org.jspecify.annotations.NullMarked;

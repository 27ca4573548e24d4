@NullMarked
package fleet.tower.execution;

import org.jspecify.annotations.NullMarked;

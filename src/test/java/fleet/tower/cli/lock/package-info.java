@NullMarked
package fleet.tower.cli.lock;

import org.jspecify.annotations.NullMarked;

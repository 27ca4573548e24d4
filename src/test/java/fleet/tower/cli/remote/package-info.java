@NullMarked
package fleet.tower.cli.remote;

import org.jspecify.annotations.NullMarked;

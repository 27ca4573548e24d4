@NullMarked
package fleet.tower.cli.token;

import org.jspecify.annotations.NullMarked;

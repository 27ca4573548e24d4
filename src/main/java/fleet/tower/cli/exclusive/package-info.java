/** Commands about other tools' exclusive locks. */
@NullMarked
package fleet.tower.cli.exclusive;

import org.jspecify.annotations.NullMarked;

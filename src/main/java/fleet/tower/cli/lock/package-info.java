/** Commands about locks: take, keep, give back, look. */
@NullMarked
package fleet.tower.cli.lock;

import org.jspecify.annotations.NullMarked;

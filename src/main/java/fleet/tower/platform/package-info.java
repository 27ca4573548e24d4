/**
 * Access to the machine and the data formats, used by all other rooms; this package contains the exceptions they
 * share.
 */
@NullMarked
package fleet.tower.platform;

import org.jspecify.annotations.NullMarked;

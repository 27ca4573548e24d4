/**
 * Access to the machine and the data formats, used by all other rooms; this package contains the error codes,
 * exit codes and exceptions that they share.
 */
@NullMarked
package fleet.tower.platform;

import org.jspecify.annotations.NullMarked;

/** Support for adapters on files: errors by name, interruptible channels, owner-only files, directory watches, live processes. */
@NullMarked
package fleet.tower.platform.disk;

import org.jspecify.annotations.NullMarked;

/** Lines of waiters as tickets in the directory of the locks, and the notices that wake who is next. */
@NullMarked
package fleet.tower.lock.queue.file;

import org.jspecify.annotations.NullMarked;

/** What the calls of several doors have in common: their envelope, waits that end, clients that go away. */
@NullMarked
package fleet.tower.service.web.call;

import org.jspecify.annotations.NullMarked;

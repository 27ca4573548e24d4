/** Tests of the calls without HTTP. */
@NullMarked
package fleet.tower.service.call;

import org.jspecify.annotations.NullMarked;

/** Tests of the document of all calls as it is put together. */
@NullMarked
package fleet.tower.service.config.api;

import org.jspecify.annotations.NullMarked;

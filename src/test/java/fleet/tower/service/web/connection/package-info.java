@NullMarked
package fleet.tower.service.web.connection;

import org.jspecify.annotations.NullMarked;

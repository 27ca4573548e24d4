@NullMarked
package fleet.tower.service.web.http;

import org.jspecify.annotations.NullMarked;

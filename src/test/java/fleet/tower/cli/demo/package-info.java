@NullMarked
package fleet.tower.cli.demo;

import org.jspecify.annotations.NullMarked;

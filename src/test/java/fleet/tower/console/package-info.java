/** Tests of the console: its files and types, and its pages in real Chromium. */
@NullMarked
package fleet.tower.console;

import org.jspecify.annotations.NullMarked;

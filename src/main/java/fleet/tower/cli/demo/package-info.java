/** The demo: a session in a temporary home that shows a run, a refusal, a crash and a takeover. */
@NullMarked
package fleet.tower.cli.demo;

import org.jspecify.annotations.NullMarked;

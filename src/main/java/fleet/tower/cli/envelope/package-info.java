/** The envelope of an answer, which all doors share: the reply, and what the caller may do next. */
@NullMarked
package fleet.tower.cli.envelope;

import org.jspecify.annotations.NullMarked;

/** Tests of other tools' locks as files, with real processes and the other programs themselves. */
@NullMarked
package fleet.tower.foreign.file;

import org.jspecify.annotations.NullMarked;

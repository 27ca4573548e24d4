/** Tests of intents in files: every mistake has its place, and no file does more than be complained of. */
@NullMarked
package fleet.tower.intent.yaml;

import org.jspecify.annotations.NullMarked;

/** Intents in files of strict YAML: every mistake with its line and column, nothing guessed, and the good files of a directory as a catalogue. */
@NullMarked
package fleet.tower.intent.yaml;

import org.jspecify.annotations.NullMarked;

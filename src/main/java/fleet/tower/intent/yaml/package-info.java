/** The catalogue of intents in a directory of strict YAML files; every mistake is reported with its line and column. */
@NullMarked
package fleet.tower.intent.yaml;

import org.jspecify.annotations.NullMarked;

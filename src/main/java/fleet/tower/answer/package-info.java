/** What the doors print: outcomes as codes, sentences, JSON and next actions, whoever asked. */
@NullMarked
package fleet.tower.answer;

import org.jspecify.annotations.NullMarked;

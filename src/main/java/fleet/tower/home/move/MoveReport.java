package fleet.tower.home.move;

import java.util.SortedMap;

/**
 * What a move copies.
 *
 * @param to the name of the database
 * @param numbers the number of things of each kind
 */
public record MoveReport(String to, SortedMap<String, Long> numbers) {}

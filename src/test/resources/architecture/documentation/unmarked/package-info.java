/** Documented, and a place for nulls. */
package fleet.tower.unmarked;


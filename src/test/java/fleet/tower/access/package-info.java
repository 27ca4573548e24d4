/** Tests of callers and their rights. */
@org.jspecify.annotations.NullMarked
package fleet.tower.access;

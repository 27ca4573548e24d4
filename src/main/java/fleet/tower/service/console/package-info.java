/** The pages of the console, served by the service itself. */
@org.jspecify.annotations.NullMarked
package fleet.tower.service.console;

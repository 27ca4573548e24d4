package fleet.tower.run.submit;

import org.jspecify.annotations.Nullable;

import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;

/**
 * A run that has not finished.
 *
 * @param handle what this process knows about a run that it executes; null for any other run, which its record shows
 */
public record UnfinishedRun(Run run, @Nullable RunHandle handle) {}

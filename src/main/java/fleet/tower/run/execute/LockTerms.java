package fleet.tower.run.execute;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.AcquireRequest.Reentry;

/**
 * How a run requests its lock.
 *
 * @param force whether it may take the lock from a dead holder
 * @param patience how long it waits for a live holder; zero for not at all
 * @param reentry whether an executor that died may have taken the lock for the same run
 * @param reason why the run was requested, for the audit log; null if no reason was given
 */
public record LockTerms(boolean force, Duration patience, Reentry reentry, @Nullable String reason) {}

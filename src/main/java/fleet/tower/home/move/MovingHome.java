package fleet.tower.home.move;

import java.nio.file.Path;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Actor;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.LockSource;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * A home that moves.
 *
 * @param database the URL of its SQLite database
 * @param locks its lock files; null if its locks stay in files
 * @param holders the evidence that holders of its locks are gone
 * @param isAlive whether the executor with an id is alive
 *
 * @param audit its own files of the audit log
 *
 * @param actor who moves it
 */
public record MovingHome(Path root, String hostId, String database, @Nullable LockSource locks, HolderProbe holders,
    Predicate<String> isAlive, AuditLog audit, Actor actor, TimeSource time, Scheduler scheduler) {}

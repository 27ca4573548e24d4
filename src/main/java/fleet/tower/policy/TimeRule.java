package fleet.tower.policy;

import fleet.tower.lock.Halt;

/**
 * A rule on when something may begin.
 *
 * @param opens whether what it covers begins only in the window; otherwise it begins only outside
 * @param scope what it covers
 * @param reason what refused callers are told
 */
public record TimeRule(String name, boolean opens, Halt.Scope scope, Window window, String reason) {}

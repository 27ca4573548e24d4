package fleet.tower.operation;

/** What came of a request, by the subject of its operation. */
public sealed interface Outcome permits HomeOutcome, LockOutcome, MailboxResult, RunOutcome, TaskResult {}

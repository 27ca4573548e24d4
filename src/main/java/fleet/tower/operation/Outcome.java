package fleet.tower.operation;

/** The outcome of a call, by the subject of its operation. */
public sealed interface Outcome
    permits ApprovalCallOutcome, HaltCallOutcome, HomeCallOutcome, LockCallOutcome, MailboxCallOutcome, RunCallOutcome,
    TaskCallOutcome {}

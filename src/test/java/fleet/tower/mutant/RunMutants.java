package fleet.tower.mutant;

import java.util.List;

/** Bugs in the path of a request to its run. */
final class RunMutants {
  private static final String ADMISSION = "run/submit/Admission";
  private static final String QUEUED = "run/submit/QueuedRuns";
  private static final String DIGEST = "run/submit/RequestDigest";
  private static final String DISTANT = "run/submit/DistantRuns";
  private static final String ACTIVE = "run/execute/ActiveRun";
  private static final String RUNS_TEST = "run/submit/RunsTest";
  private static final String IDEMPOTENCY_TEST = "run/submit/IdempotencyTest";
  private static final String QUEUED_TEST = "run/submit/QueuedRunsTest";
  private static final String HALTED_TEST = "run/submit/HaltedRunsTest";
  private static final String PROBE_TEST = "cli/run/ProbeTest";
  private static final String PLANNED_TEST = "run/submit/PlannedRunsTest";
  private static final String DISTANT_TEST = "run/submit/DistantRunsTest";

  private RunMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("place kept by a run that another executor has recorded", ADMISSION, """
                  if (!isActive) {
                    place.close();
                  }
            """, "", IDEMPOTENCY_TEST),
        RoomMutant.of("place kept by a run that could not start", ADMISSION, """
                  remove.run();
                  throw e;
            """, "      throw e;\n", RUNS_TEST),
        RoomMutant.of("executor closes while a request is being admitted", ADMISSION, """
            entrance.writeLock().lock();
                try {
                  closing = true;
                } finally {
                  entrance.writeLock().unlock();
                }
            """, "closing = true;\n", RUNS_TEST),
        RoomMutant.of("request that another executor has recorded meanwhile runs twice", ADMISSION,
            "      if (known != null) {\n        return known;\n      }\n      services.listener()",
            "      services.listener()", IDEMPOTENCY_TEST),
        RoomMutant.of("unbegun run is not interrupted after an outage", ADMISSION,
            "      services.later(() -> interruptUnbegun(claim.requestId()));\n", "", RUNS_TEST),
        RoomMutant.of("plan is not compared under the locks", ADMISSION,
            "approvals.check(prepared, planned, preparation.check(request, planned))", "LastCheck.NONE", PLANNED_TEST),
        RoomMutant.of("values are not checked under the locks", ADMISSION,
            "map(it -> new RunRefusal.NotAllowed(it.rule(), it.problems()))", "map(_ -> null)",
            "run/submit/PolicyRunsTest#valuesOfQueued"),
        RoomMutant.of("plan is not compared at the request", ADMISSION,
            "if (named != null && planned != null && !named.isOf(planned)) {",
            "if (named != null && planned == null && !named.equals(request.plan())) {", PLANNED_TEST),
        RoomMutant.of("halt is not looked at before a run is recorded", ADMISSION, """
                if (barred != null) {
                  return barred;
                }
            """, "", HALTED_TEST),
        RoomMutant.of("halt is not looked at under the locks", ACTIVE,
            "RunRefusal why = barred == null ? check.refusal(look()) : new RunRefusal.Barred(barred);",
            "RunRefusal why = check.refusal(look());", HALTED_TEST),
        RoomMutant.of("desired state is not looked at after the last step", "run/execute/StepSequence",
            "if (seen.holds(desired)) {", "if (!seen.holds(desired) || seen.holds(desired)) {", PROBE_TEST + "#verify"),
        RoomMutant.of("state under the lock is not that of the plan", ACTIVE,
            "Observation seen = services.prober(context.executor()).look(context.prepared());",
            "Observation seen = context.run().probed().before();", PROBE_TEST + "#planned"),
        RoomMutant.of("run without a difference takes its lock", ADMISSION,
            "if (!seen.holds(desired)) {", "if (seen.holds(desired)) {", PROBE_TEST + "#reconcile"),
        RoomMutant.of("repair that does not hold is done at each time", "run/submit/Drifts",
            "repairs < 2 ?", "repairs < 1000 ?", "run/submit/DriftsTest#failing"),
        RoomMutant.of("halted run of the queue is refused", ACTIVE,
            "isQueued && refusal instanceof RunRefusal.Barred && isReturned()", "isQueued && isPassedOn", HALTED_TEST),
        RoomMutant.of("stricter halt is not obeyed", ACTIVE,
            "before != null && before.level().compareTo(halt.level()) >= 0", "before != null", HALTED_TEST),
        RoomMutant.of("drain stops no step", "run/execute/StepSequence", "if (stop == null && isDrained) {",
            "if (stop == null && isDrained && lockLost) {", HALTED_TEST),
        RoomMutant.of("halted run is taken from the queue", QUEUED, """
                if (services.barred(run.get().header()) != null) {
                  return new TakeOutcome.Barred();
                }
            """, "", HALTED_TEST),
        RoomMutant.of("patience is part of a request's digest", DIGEST, "request.terms().withoutPatience().toString()",
            "request.terms().toString()", IDEMPOTENCY_TEST),
        RoomMutant.of("secret is not part of a request's digest", DIGEST,
            "secret ? slow(salt(request), given.text()) : given.text()", "secret ? \"\" : given.text()",
            IDEMPOTENCY_TEST),
        RoomMutant.of("parts of a request's digest run together", DIGEST,
            "text.append(part.length()).append(':').append(part).append('\\n');", "text.append(part).append('\\n');",
            IDEMPOTENCY_TEST),
        RoomMutant.of("run is not returned to the queue after an outage at the closing", ACTIVE,
            "      services.later(() -> services.store().take(id, executor, RunStore.QUEUE));\n      return true;",
            "      return true;", QUEUED_TEST),
        RoomMutant.of("waiting run of a closing executor is cancelled", ACTIVE, "if (returnsToQueue && isReturned()) {",
            "if (returnsToQueue && isQueued && isPassedOn) {", QUEUED_TEST),
        RoomMutant.of("locks kept if a start cannot be recorded", ACTIVE, """
                  if (!isStarted) {
                    locked.foreign().release(context::warn);
            """, """
                  if (!isStarted && ownedElsewhere) {
                    locked.foreign().release(context::warn);
            """, RUNS_TEST, IDEMPOTENCY_TEST, "run/submit/FailingHeartbeatRunTest", "run/submit/RunSignalsTest"),
        RoomMutant.of("locks kept if a run's record cannot be synced", ACTIVE, """
                  if (!isSettled) {
                    giveBack(taken);
                  }
            """, "", RUNS_TEST),
        RoomMutant.of("run taken without an answer stays with its executor", QUEUED,
            "      services.later(() -> giveBack(requestId));\n", "", QUEUED_TEST),
        RoomMutant.of("entry decides instead of the record", QUEUED,
            "!owner.equals(RunStore.QUEUE) && executor.isAlive().test(owner)",
            "!owner.equals(RunStore.QUEUE) && owner.equals(executor.id())", QUEUED_TEST),
        RoomMutant.of("run taken from a dead executor does not get its lock", QUEUED,
            "owner.equals(RunStore.QUEUE) ? Reentry.NEVER : Reentry.RESUMED_RUN", "Reentry.NEVER", QUEUED_TEST),
        RoomMutant.of("secret is queued", QUEUED, "if (!secrets.isEmpty()) {", "if (secrets.size() > 1) {",
            QUEUED_TEST),
        RoomMutant.of("repeated request is not added to the backlog again", QUEUED, "    put(waiting);\n",
            "    if (known == null) {\n      put(waiting);\n    }\n", QUEUED_TEST),
        RoomMutant.of("runs of live executors are interrupted", "run/submit/AbandonedRuns",
            "services.store().unfinished().stream().filter(this::isAbandoned)\n",
            "services.store().unfinished().stream()\n", RUNS_TEST),
        RoomMutant.of("interruption is not audited", "run/submit/AbandonedRuns",
            "    interrupted.ifPresent(run -> {\n      services.listener().ended(run);\n      services.audit()",
            "    interrupted.filter(Run::isQueued).ifPresent(run -> {\n      services.listener().ended(run);\n"
                + "      services.audit()",
            RUNS_TEST, IDEMPOTENCY_TEST, QUEUED_TEST, "run/submit/RunSignalsTest"),
        RoomMutant.of("announcement wakes no watcher", DISTANT, "          wakeWatched(new RequestId(subject));\n", "",
            DISTANT_TEST),
        RoomMutant.of("missed announcements wake no watcher", DISTANT, """
            public void missed() {
                  lock.lock();
                  try {
                    watched.values().forEach(Watched::wake);
            """, """
            public void missed() {
                  lock.lock();
                  try {
            """, DISTANT_TEST),
        RoomMutant.of("watcher that returns has the version of another", DISTANT,
            "private long version = ++versions;", "private long version;", DISTANT_TEST),
        RoomMutant.of("heartbeat from another executor is received again and again", "run/submit/ActiveRuns",
            "        services.store().requests().remove(request);\n", "", "run/submit/RunSignalsTest"));
  }
}

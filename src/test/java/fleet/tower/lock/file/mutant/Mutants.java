package fleet.tower.lock.file.mutant;

import java.util.List;
import java.util.stream.Stream;

import fleet.tower.mutant.Mutation;

/**
 * The planted bugs, all plausible.
 *
 * <p>Four changes are missing because they are not bugs here: to keep a lock without counting its token, which the
 * journal's record restores unless another program has written it ({@code ForeignLockFileTest}); a thief that
 * overwrites the boot clock's evidence of the lock it is about to replace, since a lock that was judged stale by that
 * evidence stays stale until it is renewed, and a renewal leaves its own; undoing a lock after an error by request and
 * token without the actor, since no two grants share a token; and a floor whose name is not on the disk, since the
 * journal has the tokens until a sync of the directory ({@code RetirementTest}).
 */
final class Mutants {
  private static final String STORE = "lock/file/FileLockStore";
  private static final String GRANTS = "lock/file/Grants";
  private static final String REPLACEMENT = "lock/file/LockReplacement";
  private static final String REMOVALS = "lock/file/Removals";
  private static final String FENCE = "lock/file/Fence";
  private static final String FLOOR = "lock/file/Floor";
  private static final String RETIREMENT = "lock/file/Retirement";
  private static final String RESTORATION = "lock/file/Restoration";
  private static final String WITNESSES = "lock/file/Witnesses";
  private static final String HISTORY = "lock/file/LockHistory";
  private static final String JOURNAL = "platform/disk/Journal";
  private static final String LINE = "platform/disk/JournalLine";
  private static final String BEAT = "lock/file/BeatFile";
  private static final String RULES = "lease/LeaseRules";
  private static final String OWNER = "lease/Owner";
  private static final String LEASE = "lease/Lease";
  private static final String REQUEST = "lease/LeaseRules";
  private static final String FREEZES = "lock/file/FreezeFiles";
  private static final String FREEZE = "lock/Freeze";
  private static final String AGE = "lease/Age";
  private static final String NOT_OWNER = " ->\n        unchanged(ReleaseOutcome.notHeld";
  private static final String RELEASING = "when !lease.isHeldBy(by, token)" + NOT_OWNER;
  private static final String GUARDED = "return guarded(name, () -> ";
  private static final String UNGUARDED = "restoration.begin();\n      return storage(name, () -> ";

  private Mutants() {}

  static List<Mutant> all() {
    return Stream
        .of(guards(), judgements(), owners(), actors(), runs(), durability(), restores(), witnesses(), failures(),
            clocks(),
            tokens(), forgetting(),
            freezes(), halts())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Mutant> guards() {
    String acquire = "judged(name, () -> attempt(request,";
    return List.of(
        new Mutant("no guard, seen to let two in", STORE,
            List.of(new Mutation.Edit(GUARDED + acquire, UNGUARDED + acquire)), "I1"),
        unguarded("acquire", acquire), unguarded("renew", "judged(name, () -> attempt(finder"),
        new Mutant("release without guard", STORE,
            GUARDED + "removals.ifOwned(finder.find(name).state(), by, token))",
            "return removals.ifOwned(finder.find(name).state(), by, token)"),
        unguarded("force-release", "removals.ofAny("));
  }

  private static Mutant unguarded(String method, String next) {
    return new Mutant(method + " without guard", STORE, GUARDED + next, UNGUARDED + next);
  }

  private static List<Mutant> judgements() {
    String stolen = """
              if (!replacement.replace(name, judged, FileNames.lockTemp(name), LockFileContent.of(lease))) {
                return null;
              }
              discard(FileNames.lockTemp(name));
        """;
    String renewed = "      return replacement.replace(name, judged, FileNames.spare(name), content);\n";
    return List.of(
        new Mutant("acquisition judged by the look before the guard", STORE, List.of(
            new Mutation.Edit("      if (decide(request, finder.find(name), freezes.find(name)) instanceof",
                "      LockFinder.Found seen = finder.find(name);\n"
                    + "      if (decide(request, seen, freezes.find(name)) instanceof"),
            new Mutation.Edit("attempt(request, finder.find(name), freezes.find(name))",
                "attempt(request, seen, freezes.find(name))")),
            null),
        new Mutant("heartbeat judged by the look before the guard brings a lock back", STORE, List.of(
            new Mutation.Edit("attempt(finder.find(name), by, token)", "attempt(found, by, token)"),
            new Mutation.Edit("""
                      if (!directory.exists()) {
                        return new RenewOutcome.Gone();
                """, """
                      LockFinder.Found found = finder.find(name);
                      if (found.state() instanceof LeaseState.Vacant) {
                        return new RenewOutcome.Gone();
                """)), null),
        new Mutant("release unlinks by a look before the guard", STORE,
            "return guarded(name, () -> removals.ifOwned(finder.find(name).state(), by, token))",
            "LeaseState seen = finder.find(name).state();\n"
                + "        return guarded(name, () -> removals.ifOwned(seen, by, token))"),
        new Mutant("no second look before the steal", GRANTS, "if (!finder.isStill(name, judged)) {",
            "if (judged == null) {"),
        new Mutant("steal without force", RULES, "held when request.force() ->", "held when held.isStale() ->"),
        new Mutant("steal of an active lock by force", RULES, "when !held.isStale() ->",
            "when !held.isStale() && !request.force() ->"),
        new Mutant("an own lock is stolen instead of kept", RULES, "new Decision.Keep(held.lease())",
            "new Decision.Steal(held.lease())"),
        new Mutant("an unreadable lock counts as none", RULES,
            "case LeaseState.Unusable unusable -> unusable.refusal();",
            "case LeaseState.Corrupt _ -> new Decision.Create();\n"
                + "      case LeaseState.Unsupported unsupported -> unsupported.refusal();"),
        new Mutant("create by rename instead of link", GRANTS, """
                  directory.link(FileNames.lockTemp(name), FileNames.lock(name));
                  witnesses.addFromTemp(name, lease.token());
            """, """
                  directory.rename(FileNames.lockTemp(name), FileNames.lock(name));
                  witnesses.add(name, lease.token());
            """),
        new Mutant("steal by unlink and link", GRANTS, stolen, """
                  directory.unlink(FileNames.lock(name));
                  directory.link(FileNames.lockTemp(name), FileNames.lock(name));
            """),
        new Mutant("steal renames over what it has not judged", GRANTS, stolen,
            "      directory.rename(FileNames.lockTemp(name), FileNames.lock(name));\n"),
        new Mutant("heartbeat by unlink and link", GRANTS, renewed, """
                  directory.unlink(FileNames.lock(name));
                  directory.link(FileNames.spare(name), FileNames.lock(name));
                  return true;
            """),
        new Mutant("heartbeat renames over a removed lock", GRANTS, renewed, """
                  directory.rename(FileNames.spare(name), FileNames.lock(name));
                  return true;
            """),
        new Mutant("what was replaced is not compared", REPLACEMENT, "if (Arrays.equals(replaced, expected)) {",
            "if (Arrays.equals(expected, expected)) {"),
        new Mutant("what was replaced unjudged is not put back", REPLACEMENT, "exchanges <= MAX_EXCHANGES",
            "exchanges <= 1"),
        new Mutant("heartbeat writes over the lock itself", GRANTS,
            "      directory.overwrite(FileNames.spare(name), content);\n" + renewed, """
                      directory.overwrite(FileNames.lock(name), content);
                      return true;
                """));
  }

  private static List<Mutant> owners() {
    return List.of(
        new Mutant("heartbeat without owner check", STORE, "when !lease.isHeldBy(by, token) -> RenewOutcome.notHeld",
            "when !lease.isHeldBy(lease.owner(), token) -> RenewOutcome.notHeld"),
        new Mutant("heartbeat without token check", STORE, "when !lease.isHeldBy(by, token) -> RenewOutcome.notHeld",
            "when !lease.isHeldBy(by, FencingToken.NONE) -> RenewOutcome.notHeld"),
        new Mutant("release without owner check", REMOVALS,
            RELEASING,
            "when !lease.isHeldBy(lease.owner(), token)" + NOT_OWNER),
        new Mutant("release without token check", REMOVALS,
            RELEASING,
            "when !lease.isHeldBy(by, FencingToken.NONE)" + NOT_OWNER));
  }

  /** Each compares the request id alone, at one of the places that compare the actor too. */
  private static List<Mutant> actors() {
    String anyActor = "fleet.tower.lease.Owner.ofAnyActor(";
    String anyAsker = "Decision decision = LeaseRules.decide(found.state(), freeze.refusal(),\n"
        + "        new fleet.tower.lease.LeaseRules.Request(" + anyActor + "request.requestId()),"
        + " request.leaseRequest().mayKeep(), request.force()));";
    return List.of(
        new Mutant("whose a lease is without the actor", OWNER, " && (actor == null || actor.equals(holder))", ""),
        new Mutant("acquisition without the actor", REQUEST, "lease.isHeldBy(by, ",
            "lease.isHeldBy(Owner.ofAnyActor(by.requestId()), "),
        new Mutant("acquisition without the actor under the guard only", STORE,
            "Decision decision = decide(request, found, freeze);",
            anyAsker),
        new Mutant("acquisition refuses its own actor before the guard", STORE, "if (decide(request, finder",
            "if (decide(new AcquireRequest(name, request.requestId(), new fleet.tower.lease.Holder(\"nobody\", \"i\","
                + " \"1\", \"h\", 1, false), request.ttl(), request.force(), request.metadata(), request.reentry(),"
                + " new fleet.tower.lease.Actor(\"nobody\", null, null), null), finder"),
        new Mutant("an acquisition that may keep nothing keeps what it has", REQUEST, "return mayKeep && ", "return "),
        new Mutant("heartbeat without the actor", STORE, "when !lease.isHeldBy(by, token) -> RenewOutcome.notHeld",
            "when !lease.isHeldBy(" + anyActor + "by.requestId()), token) -> RenewOutcome.notHeld"),
        new Mutant("release without the actor", REMOVALS, RELEASING,
            "when !lease.isHeldBy(" + anyActor + "by.requestId()), token)" + NOT_OWNER),
        new Mutant("a release that failed without the actor", STORE,
            "(Lease lease, Age _) when lease.isHeldBy(by, token)",
            "(Lease lease, Age _) when lease.isHeldBy(" + anyActor + "by.requestId()), token)"));
  }

  /** Each takes a client and the executor of a run, with the same id and actor, for the same owner. */
  private static List<Mutant> runs() {
    String anyKind = "new fleet.tower.lease.Owner(by.requestId(), by.actor(), lease.owner().kind())";
    return List.of(
        new Mutant("whose a lease is without its kind", LEASE,
            "\n        && isOfRun() == (by.kind() == Owner.Kind.RUN);", ";"),
        new Mutant("acquisition without the kind", REQUEST, "lease.isHeldBy(by, ", "lease.isHeldBy(" + anyKind + ", "),
        new Mutant("heartbeat without the kind", STORE, "when !lease.isHeldBy(by, token) -> RenewOutcome.notHeld",
            "when !lease.isHeldBy(" + anyKind + ", token) -> RenewOutcome.notHeld"),
        new Mutant("release without the kind", REMOVALS, RELEASING,
            "when !lease.isHeldBy(" + anyKind + ", token)" + NOT_OWNER),
        new Mutant("force-release spares nothing", REMOVALS, "if (lease != null && spares.test(lease)) {",
            "if (lease != null && spares == null) {"),
        new Mutant("force-release spares what it saw before the guard", STORE,
            GUARDED + "removals.ofAny(name, finder.find(name).state(), spares)",
            "if (finder.find(name).state() instanceof LeaseState.Held(Lease lease, Age _) && spares.test(lease)) {\n"
                + "        return new ForceReleaseOutcome.Spared(lease);\n      }\n      "
                + GUARDED + "removals.ofAny(name, finder.find(name).state(), _ -> false)"));
  }

  private static List<Mutant> durability() {
    String granting = "journal.append(LockHistory.put(lease, lease.token(), LockFileContent.of(lease), replaced))";
    String keeping = "journal.append(LockHistory.put(record.lease(), record.lease().token(), record.bytes(), null))";
    return List.of(
        new Mutant("grant not recorded", GRANTS, "      record(lease, null);\n", ""),
        new Mutant("steal not recorded", GRANTS, "      record(lease, previous);\n", ""),
        new Mutant("record not synced before the answer", GRANTS, "SyncGroup.sync(" + granting + ");",
            granting + ";"),
        new Mutant("removal not recorded", REMOVALS,
            "Removed removed = new Removed(journal.append(LockHistory.removed(name, token, lease)));",
            "Removed removed = Removed.NOTHING;\n      if (lease == null || lease.token() != null) {\n"
                + "        throw new IOException();\n      }"),
        new Mutant("removal not synced", REMOVALS, "      removed.syncIfPossible();\n      return outcome;",
            "      return outcome;"),
        new Mutant("grant not recorded before a token is learned late", GRANTS,
            "    SyncGroup.sync(" + keeping + ");\n", ""),
        new Mutant("record not synced before a token is learned late", GRANTS,
            "SyncGroup.sync(" + keeping + ");", keeping + ";"),
        new Mutant("counter's temp not on the disk", FENCE, "bytes(token), true)", "bytes(token), false)"));
  }

  private static List<Mutant> restores() {
    String guarded = "try (LockDirectory.Guard _ = guards.enter(FileNames.slot(name))) {\n        ";
    String unguarded = "try (LockDirectory.Guard _ = guards.enter(7)) {\n        ";
    String late = "LockHistory.add(histories, reading.next());\n        ";
    String carrying = "entries.add(journal.append(present(name, over)));";
    return List.of(
        new Mutant("nothing restored", RESTORATION, "          restoreAll();\n", ""),
        new Mutant("another boot's journal taken for this one's", JOURNAL,
            "header.text(\"origin\").filter(origin::equals).isPresent()", "header.text(\"origin\").isPresent()"),
        new Mutant("counter not restored", RESTORATION, "    fence.restore(name, history.highest().max(witnessed));\n",
            ""),
        new Mutant("missing lock not restored", RESTORATION, "return wasOnDisk ? null : last;", "return null;"),
        new Mutant("removed lock not removed by the restore", RESTORATION,
            "      directory.unlink(FileNames.lock(name));\n", ""),
        new Mutant("restored lock not on the disk", RESTORATION, "lock, true)", "lock, false)"),
        new Mutant("new journal before the restored names are on the disk", RESTORATION,
            "      directory.sync();\n    }\n    others", "    }\n    others"),
        new Mutant("restore by the records before the guard", RESTORATION, guarded + late, guarded),
        new Mutant("restore without guard", RESTORATION, guarded + late, unguarded + late),
        new Mutant("torn lock stays", HISTORY, "return isKnown && LockRecord.isTorn(file);", "return false;"),
        new Mutant("lock that is over stays", HISTORY, "return earlier.contains(grant) || (",
            "return latest == null && ("),
        new Mutant("other program's lock that is over stays", HISTORY, "? latest != null && !wasOnDisk && !grant",
            "? latest != null && grant"),
        new Mutant("first record wins", HISTORY, "      last = record", "      last = last != null ? last : record"),
        new Mutant("damaged record read", LINE, "if (text < end && ", "if (text < end || "),
        new Mutant("previous journal not read", JOURNAL, "List<String> records = JournalLine.records(older);",
            "List<String> records = new java.util.ArrayList<>();"),
        new Mutant("previous journal read last", JOURNAL, """
                  List<String> records = JournalLine.records(older);
                  records.addAll(JournalLine.records(newer));
            """, """
                  List<String> records = JournalLine.records(newer);
                  records.addAll(JournalLine.records(older));
            """),
        new Mutant("record left in a journal that was replaced", JOURNAL, "if (directory.leadsTo(CURRENT, open.log)) {",
            "if (line.length > 0) {"),
        new Mutant("record in a journal whose name is not on the disk", JOURNAL,
            "        directory.sync();\n      }\n      JsonObject", "      }\n      JsonObject"),
        new Mutant("name of the previous journal not on the disk", JOURNAL,
            "    directory.sync();\n    directory.rename", "    directory.rename"),
        new Mutant("nothing carried over", RESTORATION, carrying, ""),
        new Mutant("carried over without guard", RESTORATION, guarded + carrying, unguarded + carrying),
        new Mutant("what is carried over is not on the disk", RESTORATION, "      entry.sync();\n", ""));
  }

  /** A lock that another program removed comes back, or one that a power cut took does not. */
  private static List<Mutant> witnesses() {
    String linked = """
              directory.link(FileNames.lockTemp(name), FileNames.lock(name));
              witnesses.addFromTemp(name, lease.token());
        """;
    return List.of(
        new Mutant("removed lock restored", RESTORATION, "return wasOnDisk ? null : last;",
            "return last;"),
        new Mutant("witness before the lock", GRANTS, linked, """
                  witnesses.add(name, lease.token());
                  directory.link(FileNames.lockTemp(name), FileNames.lock(name));
                  directory.unlink(FileNames.lockTemp(name));
            """),
        new Mutant("grant without witness", GRANTS, "      witnesses.addFromTemp(name, lease.token());\n",
            "      directory.unlink(FileNames.lockTemp(name));\n"),
        new Mutant("steal without witness", GRANTS, "      witnesses.add(name, lease.token());\n", ""),
        new Mutant("witness of a standing lock discarded", RESTORATION,
            "      over.remove(new Witnesses.Grant(name, lease.token()));\n", ""),
        new Mutant("witness of a token taken for that of another", WITNESSES,
            "return directory.has(of(name, token, GRANTED)) || isRestored(name, token);",
            "return directory.list().stream().anyMatch(file -> grantOf(file).map(Grant::name).filter(name::equals)"
                + ".isPresent());"));
  }

  private static List<Mutant> failures() {
    return List.of(
        new Mutant("error after the link passed on without undoing", GRANTS, "return undo(lease, null, e);",
            "throw e;"),
        new Mutant("error after the steal passed on without undoing", GRANTS, "return undo(lease, previousLock, e);",
            "throw e;"),
        new Mutant("error after the link ignored", GRANTS, "return undo(lease, null, e);", ""),
        new Mutant("undo without owner check", GRANTS, "isOurs = isInPlace(lease);", "isOurs = true;"),
        new Mutant("undo keeps the lock", GRANTS, "        directory.unlink(FileNames.lock(lease.name()));\n", ""),
        new Mutant("a removal by somebody else reported as failed", REMOVALS,
            "      // Removed by a program without the guard. The lock is reported as free, so this is recorded.\n",
            "      return Errno.describe(alreadyGone);\n"),
        new Mutant("a lock that cannot be removed reported as released", REMOVALS, """
                } catch (IOException e) {
                  return Errno.describe(e);
                }
                return null;
            """, """
                } catch (IOException e) {
                  return null;
                }
                return null;
            """));
  }

  private static List<Mutant> clocks() {
    return List.of(
        new Mutant("stale at exactly the ttl, by the wall clock", AGE, "sinceHeartbeat.compareTo(ttl.duration()) > 0",
            "sinceHeartbeat.compareTo(ttl.duration()) >= 0"),
        new Mutant("stale at exactly the ttl, by the boot clock", AGE,
            "bootMillis.getAsLong() > ttl.duration().toMillis()",
            "bootMillis.getAsLong() >= ttl.duration().toMillis()"),
        new Mutant("boot clock ignored", AGE,
            " && (bootMillis.isEmpty() || bootMillis.getAsLong() > ttl.duration().toMillis())", ""),
        new Mutant("age by a now with a fraction", AGE, "Timestamps.wholeSecond(now))", "now)"),
        new Mutant("grant's deadline stamped after the write", GRANTS, "Granted(HeldLease.since(stamp, lease), null)",
            "Granted(HeldLease.since(time.nanos(), lease), null)"),
        new Mutant("steal's deadline stamped after the write", GRANTS,
            "Granted(HeldLease.since(stamp, lease), previousLock)",
            "Granted(HeldLease.since(time.nanos(), lease), previousLock)"),
        new Mutant("heartbeat's deadline stamped after the write", GRANTS, "HeldLease.since(stamp, renewed)",
            "HeldLease.since(time.nanos(), renewed)"),
        new Mutant("a renewal shortens when the clock was set back", RULES, "? lease.lastHeartbeatAt() : next",
            "? next : next"),
        new Mutant("heartbeat leaves no evidence", GRANTS, "    finder.leaveEvidence(lease, renewed, boot);\n", ""),
        new Mutant("grant leaves no evidence", GRANTS, "    finder.leaveEvidence(previous, lease, boot);\n", ""),
        new Mutant("evidence of the standing lock overwritten", BEAT, "second.millis() < first.millis()) ? 1 : 0",
            "second.millis() < first.millis()) ? 0 : 1"),
        new Mutant("evidence of another boot hides this one's", BEAT, ".filter(now.bootId()::equals)", ""));
  }

  private static List<Mutant> freezes() {
    return List.of(
        new Mutant("no look for a freeze under the guard", STORE,
            "attempt(request, finder.find(name), freezes.find(name))",
            "attempt(request, finder.find(name), new FreezeState.None())"),
        new Mutant("freeze without guard", STORE, "entered(request.name(), () -> freezes.freeze(request))",
            "freezes.freeze(request)"),
        new Mutant("a freeze refuses who holds it", RULES,
            "freeze == null || decision instanceof Decision.Keep ||", "freeze == null ||"),
        new Mutant("force gets past a freeze", RULES, "return freeze == null ||",
            "return freeze == null || request.force() ||"),
        new Mutant("what cannot be read counts as no freeze", FREEZES,
            "return unreadable(name, \"not a JSON object: \" + e.getMessage());", "return new FreezeState.None();"),
        new Mutant("a freeze is over in its last second", FREEZE, "isAfter(expiresAt())",
            "isAfter(expiresAt().minusSeconds(1))"),
        new Mutant("a freeze is never over", FREEZES, "return freeze.isOverAt(time.now()) ? new FreezeState.None() : ",
            "return "),
        new Mutant("freeze's temp not on the disk", FREEZES, "bytesOf(freeze), true)", "bytesOf(freeze), false)"),
        new Mutant("directory not synced after a freeze", FREEZES,
            "      directory.sync();\n    } catch (IOException e) {\n      undo",
            "    } catch (IOException e) {\n      undo"),
        new Mutant("a freeze that failed is not taken back", FREEZES, "      undo(name, e);\n", ""),
        new Mutant("a standing freeze is replaced", FREEZES, "if (!(existing instanceof FreezeState.None)) {",
            "if (existing instanceof FreezeState.Corrupt) {"));
  }

  private static List<Mutant> halts() {
    String create = "grants.create(request)";
    String steal = "grants.steal(request, previous, found.record())";
    return List.of(
        new Mutant("halts not read again after a grant", STORE, "unlessHalted(request, " + create + ")", create),
        new Mutant("halts not read again after a steal", STORE, "unlessHalted(request, " + steal + ")", steal));
  }

  private static List<Mutant> tokens() {
    return List.of(
        new Mutant("counter not written", FENCE, "    write(name, content, next);\n", ""),
        new Mutant("token not counted past the standing one", FENCE, "value(name, content).max(previous).next()",
            "value(name, content).next()"),
        new Mutant("counter not checked when a lock is removed", REMOVALS,
            "        fence.atLeast(name, lease.token());\n",
            ""));
  }

  private static List<Mutant> forgetting() {
    String raising = "    floor.raise(last);\n";
    String removing = "    directory.unlink(FileNames.fence(name));\n";
    return List.of(
        new Mutant("forgotten without guard", STORE, "guarded(name, () -> retirement.retire(name, least))",
            "retirement.retire(name, least)"),
        new Mutant("held name forgotten", RETIREMENT, "List.of(FileNames.lock(name), FileNames", "List.of(FileNames"),
        new Mutant("floor not raised", RETIREMENT, raising, ""),
        new Mutant("counter removed before the floor is raised", RETIREMENT, List.of(
            new Mutation.Edit(raising, ""), new Mutation.Edit(removing, removing + raising)), null),
        new Mutant("floor's temp not on the disk", FLOOR, "Fence.bytes(token), true)", "Fence.bytes(token), false)"),
        new Mutant("floor raised without guard", FLOOR, "directory.enter(SLOT)", "directory.enter(System.nanoTime())"),
        new Mutant("new name begins below the floor", FENCE, "      return floor.value();\n",
            "      return FencingToken.NONE;\n"),
        new Mutant("counter not restored, whatever the floor", FENCE, "? floor.value().compareTo(token) < 0",
            "? floor.value().compareTo(token) < -1"));
  }
}

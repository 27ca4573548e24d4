package fleet.tower.access.sql;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.NewTokens;
import fleet.tower.access.OperatorTokenFile;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.platform.time.Timestamps;

/**
 * The operator's token at the start of a service. A fleet has one: the first host creates it or registers the one in
 * its file, and a transaction decides between hosts that start at the same time.
 *
 * @param news receives a sentence about a token that this host created, entered or does not have
 *
 * @param warnings receives a warning if the file of this host has another token
 */
record OperatorEntry(TokenTables tables, OperatorTokenFile file, NewTokens fresh, String hostId,
    Consumer<String> news, Consumer<String> warnings) {
  private static final String ROTATE = "`tower token rotate operator`";

  void run() {
    Optional<OperatorToken> own = file.read();
    StoredTokens stored = tables.load();
    stored.requireReadable(TokenTables.OPERATOR);
    OperatorToken fleets = stored.operator().orElse(null);
    if (fleets != null) {
      compare(own.orElse(null), fleets);
    } else if (own.isPresent()) {
      enter(own.get());
    } else {
      create();
    }
  }

  private void create() {
    String token = fresh.next();
    OperatorToken created = new OperatorToken(fresh.generation(token, null), List.of(), hostId);
    try (OperatorTokenFile.Draft draft = file.draft(token)) {
      OperatorToken fleets = enterIfNone(created);
      if (fleets.equals(created)) {
        draft.keep();
        news.accept("wrote the operator's token to " + file.path());
        return;
      }
      compare(null, fleets);
    }
  }

  private void enter(OperatorToken own) {
    OperatorToken entered = new OperatorToken(own.current(), own.previous(), hostId);
    OperatorToken fleets = enterIfNone(entered);
    if (fleets.equals(entered)) {
      news.accept("the operator's token in " + file.path() + " is now that of the fleet");
    } else {
      compare(own, fleets);
    }
  }

  private OperatorToken enterIfNone(OperatorToken own) {
    return tables.change((session, number) -> {
      StoredTokens stored = TokenTables.stored(number, session);
      stored.requireReadable(TokenTables.OPERATOR);
      if (stored.operator().isEmpty()) {
        TokenTables.write(session, own, hostId);
      }
      return stored.operator().orElse(own);
    });
  }

  private void compare(@Nullable OperatorToken own, OperatorToken fleets) {
    if (own == null) {
      news.accept("the operator's token of this fleet is on host " + fleets.hostId() + created(fleets) + "; use that"
          + " one, or create a new one with " + ROTATE + " on any host");
    } else if (!own.current().sha256().equals(fleets.current().sha256())) {
      warnings.accept(stale(file, fleets));
    }
  }

  /** The problem of a file with another token, with the remedy. */
  static String stale(OperatorTokenFile file, OperatorToken fleets) {
    return "the operator's token in " + file.path() + " is not accepted: that of this fleet is on host "
        + fleets.hostId() + created(fleets) + "; use that one, or run " + ROTATE + " here for a new one, or with"
        + " --adopt to accept this one";
  }

  private static String created(OperatorToken fleets) {
    Instant created = fleets.current().created();
    return created == null ? "" : ", created at " + Timestamps.format(created);
  }
}

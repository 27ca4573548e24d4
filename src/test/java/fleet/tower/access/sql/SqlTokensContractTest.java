package fleet.tower.access.sql;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Access;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.access.TokensContract;
import fleet.tower.platform.Finding;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("Tokens in the database of a fleet")
class SqlTokensContractTest extends TokensContract {
  private final String url = PostgresServer.newDatabase();
  private final FleetHost host;

  SqlTokensContractTest(@TempDir Path directory) {
    host = new FleetHost(directory, "tower-01", url, time);
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Override
  protected void limit(TokenLifetime lifetime) {
    host.limit(lifetime);
  }

  @Override
  protected List<Finding> examine() {
    return host.findings();
  }

  @Override
  protected Tokens tokens() {
    return host.tokens();
  }

  @Override
  protected Access open() {
    return host.open();
  }

  @Override
  protected String stored() {
    DirectTables tables = new DirectTables(url);
    return tables.look("SELECT CAST(tokens AS TEXT) FROM tokens") + " "
        + tables.look("SELECT CAST(token_changes AS TEXT) FROM token_changes");
  }

  @Override
  protected String operator() {
    return host.operator();
  }
}

package fleet.tower.run.submit;

import fleet.tower.platform.sql.Database;

interface RunOpensDatabase {
  Database database();
}

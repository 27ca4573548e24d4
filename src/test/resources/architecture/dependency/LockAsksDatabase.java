package fleet.tower.lock;

import java.sql.Connection;

interface LockAsksDatabase {
  Connection connection();
}

package fleet.tower.heartbeat;

import fleet.tower.lock.file.FileLocks;

interface HeartbeatOpensFiles {
  FileLocks files();
}

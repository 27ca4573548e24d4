package fleet.tower.lease.keepalive;

import fleet.tower.lock.file.FileLocks;

interface HeartbeatOpensFiles {
  FileLocks files();
}

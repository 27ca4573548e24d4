package fleet.tower.lock;

import fleet.tower.lock.file.FileLocks;

interface LockKnowsFiles {
  FileLocks files();
}

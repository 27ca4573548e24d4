package fleet.tower.lock;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

class Sleeps {
  void sleep(Timer timer, TimerTask task) throws InterruptedException {
    Thread.sleep(1);
    TimeUnit.SECONDS.sleep(1);
    LockSupport.parkNanos(1);
    synchronized (this) {
      wait(1);
    }
    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
    timer.schedule(task, 1);
  }
}

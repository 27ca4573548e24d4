package fleet.tower.run;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import fleet.tower.lease.RequestId;

/** Processes that print and end when a test calls for it; those with a planned end do so at once. */
public final class ManualProcesses implements Processes {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition started = lock.newCondition();
  private final Condition wakeUps = lock.newCondition();
  private final List<Hand> all = new ArrayList<>();
  private final Map<String, Exit> plans = new HashMap<>();
  private final Map<String, ByteArrayOutputStream> logs = new HashMap<>();
  private final List<String> events = new ArrayList<>();
  private boolean holdsStops;
  private boolean endsAll;
  private volatile boolean lacksThreads;
  private volatile Supplier<String> world = () -> "{}";

  /** One process. */
  public final class Hand implements Started {
    private final Command command;
    private final Watcher watcher;
    private boolean ended;
    private boolean stopped;
    private boolean woken;

    Hand(Command command, Watcher watcher) {
      this.command = command;
      this.watcher = watcher;
    }

    public Command command() {
      return command;
    }

    public boolean isStopped() {
      lock.lock();
      try {
        return stopped;
      } finally {
        lock.unlock();
      }
    }

    public void print(String text) {
      lock.lock();
      try {
        logs.computeIfAbsent(key(command.requestId(), command.logName()), _ -> new ByteArrayOutputStream())
            .writeBytes(text.getBytes(StandardCharsets.UTF_8));
      } finally {
        lock.unlock();
      }
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      watcher.printed();
      watcher.output(bytes, 0, bytes.length);
      watcher.logged();
    }

    /** Prints output that is not kept: half of a secret, or too much for the log. */
    public void printInVain() {
      watcher.printed();
    }

    public void exit(int code) {
      end(new Exited(code));
    }

    @Override
    public void await() {
      lock.lock();
      try {
        while (!woken) {
          wakeUps.awaitUninterruptibly();
        }
        woken = false;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void wake() {
      lock.lock();
      try {
        woken = true;
        wakeUps.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void stop() {
      lock.lock();
      try {
        stopped = true;
        events.add("stop " + command.logName());
        started.signalAll();
        if (holdsStops) {
          return;
        }
      } finally {
        lock.unlock();
      }
      end(new Signalled(15));
    }

    private void end(Exit exit) {
      lock.lock();
      try {
        if (ended) {
          return;
        }
        ended = true;
        events.add("end " + command.logName());
      } finally {
        lock.unlock();
      }
      watcher.ended(exit);
      wake();
    }
  }

  /** Plans the end of every process with a log name, for the moment of its start. */
  public ManualProcesses plan(String logName, Exit exit) {
    lock.lock();
    try {
      plans.put(logName, exit);
      return this;
    } finally {
      lock.unlock();
    }
  }

  /** From now on a stopped process ends only when the test ends it. */
  public void holdStops() {
    lock.lock();
    try {
      holdsStops = true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all processes, and from now on each one at its start. */
  public void endAll() {
    List<Hand> started;
    lock.lock();
    try {
      endsAll = true;
      started = List.copyOf(all);
    } finally {
      lock.unlock();
    }
    started.forEach(hand -> hand.exit(1));
  }

  /** Waits until a process is stopped. */
  public void awaitStop(Hand hand) {
    lock.lock();
    try {
      while (!hand.stopped) {
        started.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the {@code count}th process has been started. */
  public Hand awaitStart(int count) {
    lock.lock();
    try {
      while (all.size() < count) {
        started.awaitUninterruptibly();
      }
      return all.get(count - 1);
    } finally {
      lock.unlock();
    }
  }

  /** The starts, stops and ends, in order. */
  public List<String> events() {
    lock.lock();
    try {
      return List.copyOf(events);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Started look(Command command, Watcher watcher) {
    byte[] printed = ("\0" + world.get()).getBytes(StandardCharsets.UTF_8);
    return new Started() {
      @Override
      public void await() {
        watcher.output(printed, 0, printed.length);
        watcher.ended(new Exited(0));
      }

      @Override
      public void wake() {
        // It has ended already.
      }

      @Override
      public void stop() {
        // It has ended already.
      }
    };
  }

  /** What probes print from now on. */
  public void world(Supplier<String> state) {
    world = state;
  }

  @Override
  public Started start(Command command, Watcher watcher) {
    Hand hand = new Hand(command, watcher);
    Exit plan;
    lock.lock();
    try {
      events.add("start " + command.logName());
      all.add(hand);
      plan = endsAll ? new Exited(1) : plans.get(command.logName());
      started.signalAll();
    } finally {
      lock.unlock();
    }
    if (plan != null) {
      hand.end(plan);
    }
    return hand;
  }

  /** From now on there is no thread for a run. */
  public void refuseThreads() {
    lacksThreads = true;
  }

  @Override
  public void execute(Runnable work) {
    if (lacksThreads) {
      throw new RejectedExecutionException("no thread is left");
    }
    Thread.ofVirtual().start(work);
  }

  @Override
  public void note(RequestId requestId, String logName, String text) {
    lock.lock();
    try {
      logs.computeIfAbsent(key(requestId, logName), _ -> new ByteArrayOutputStream())
          .writeBytes(("[tower] " + text + "\n").getBytes(StandardCharsets.UTF_8));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Output read(RequestId requestId, String logName, long from, int maxBytes) {
    lock.lock();
    try {
      ByteArrayOutputStream log = logs.get(key(requestId, logName));
      byte[] bytes = log == null ? new byte[0] : log.toByteArray();
      int start = (int) Math.min(from, bytes.length);
      int end = (int) Math.min(bytes.length, start + (long) maxBytes);
      return new Output(Arrays.copyOfRange(bytes, start, end), end);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long size(RequestId requestId, String logName) {
    return read(requestId, logName, 0, Integer.MAX_VALUE).bytes().length;
  }

  @Override
  public String tail(RequestId requestId, String logName) {
    return new String(read(requestId, logName, 0, 4096).bytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {}

  private static String key(RequestId requestId, String logName) {
    return requestId + "/" + logName;
  }
}

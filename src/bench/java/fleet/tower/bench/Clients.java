package fleet.tower.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do the same at the same time. */
final class Clients {
  private Clients() {}

  /** One operation of one of them. */
  interface Pass {
    void make(int client) throws Exception;
  }

  /** So many operations by each; the time of one is that of all clients together. */
  static Comparison.Work each(int clients, Pass pass) {
    return times -> {
      try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
        List<Future<?>> shares = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
          int number = client;
          shares.add(pool.submit(() -> {
            for (int i = 0; i < times; i++) {
              pass.make(number);
            }
            return null;
          }));
        }
        for (Future<?> share : shares) {
          share.get();
        }
      }
    };
  }

  /** So many operations in all, shared by the clients. */
  static Comparison.Work shared(int clients, Pass pass) {
    Comparison.Work each = each(clients, pass);
    return times -> each.run(times / clients);
  }
}

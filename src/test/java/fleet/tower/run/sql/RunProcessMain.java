package fleet.tower.run.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import fleet.tower.platform.StorageException;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;

/** Executes commands on the runs of a database, one per line, and answers each with one line. */
final class RunProcessMain {
  private static final String BUSY = "was locked by another process for too long";

  private RunProcessMain() {}

  /** Arguments: the URL of the database. */
  static void main(String[] arguments) throws IOException {
    try (RunStore store = new SqlRuns(arguments[0]).open();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        System.out.println(answer(store, order.split(" ", -1)).replace('\n', ' '));
      }
    }
  }

  private static String answer(RunStore store, String[] order) {
    try {
      return switch (order[0]) {
        case "hello" -> "hello";
        case "begin" -> begin(store, order[1]);
        case "save" -> save(store, order[1]);
        case "fill" -> fill(store);
        case "all" -> all(store, Integer.parseInt(order[1]), Long.parseLong(order[2]));
        case "list" -> Integer.toString(store.list(RunStore.Query.of(null, null, 1_000_000)).size());
        default -> "what?";
      };
    } catch (StorageException e) {
      return "StorageException " + e.getMessage();
    }
  }

  private static String begin(RunStore store, String id) {
    return store.begin(Runs.claim(id, "key-" + id), Runs.waiting(id), "process").getClass().getSimpleName();
  }

  private static String save(RunStore store, String id) {
    store.save(Runs.succeeded(Runs.waiting(id)), true);
    return "saved";
  }

  /** Begins one run after another until the disk is full. */
  private static String fill(RunStore store) {
    for (int i = 0;; i++) {
      begin(store, "fill-" + i);
    }
  }

  /** Begins and saves each of a number of shared runs, in an order of its own; one line for each. */
  private static String all(RunStore store, int count, long seed) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, new Random(seed));
    for (int number : numbers) {
      String prior = insist(() -> begin(store, "r" + number));
      System.out.println(prior + " r" + number);
      if (prior.equals("New")) {
        insist(() -> {
          store.save(Runs.succeeded(Runs.waiting("r" + number)), number % 2 == 0);
          return "saved";
        });
      }
    }
    return "done";
  }

  /** A writer that others leave no turn for seconds, on a busy machine, tries again. */
  private static String insist(Supplier<String> write) {
    while (true) {
      try {
        return write.get();
      } catch (StorageException e) {
        if (!String.valueOf(e.getMessage()).contains(BUSY)) {
          throw e;
        }
      }
    }
  }
}

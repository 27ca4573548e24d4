package fleet.tower.access;

import static fleet.tower.access.Places.NoPlace.Bound.ALL;
import static fleet.tower.access.Places.NoPlace.Bound.SHARE;
import static fleet.tower.access.Places.NoPlace.Bound.UNRESERVED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.access.Places.Holder;
import fleet.tower.access.Places.Holding;
import fleet.tower.access.Places.NoPlace;
import fleet.tower.access.Places.Outcome;
import fleet.tower.access.Places.Place;

@DisplayName("Places that callers share")
class PlacesTest {
  private static final Holder ANN = new Holder("ann", Role.AGENT);
  private static final Holder OP = new Holder("op", Role.OPERATOR);
  private static final Holder SCHEDULE = new Holder("schedule", null);

  /** Takes places until there is none for the holder; the last outcome is the refusal. */
  private static List<Outcome> fill(Places places, Holder holder) {
    List<Outcome> outcomes = new ArrayList<>();
    do {
      outcomes.add(places.take(holder));
    } while (outcomes.getLast() instanceof Place);
    return outcomes;
  }

  private static Holder agent(int number) {
    return new Holder("agent-" + number, Role.AGENT);
  }

  @Test
  @DisplayName("A caller has at most its share, also with another role or many tokens of the same name")
  void share() {
    Places places = Places.shared(20, 25);
    List<Outcome> taken = fill(places, ANN);
    assertThat(taken).hasSize(6);
    assertThat(taken.getLast()).isEqualTo(new NoPlace(SHARE, 5));
    assertThat(places.take(new Holder("ann", Role.OPERATOR))).isEqualTo(new NoPlace(SHARE, 5));
    assertThat(places.take(agent(1))).isInstanceOf(Place.class);
    ((Place) taken.getFirst()).close();
    assertThat(places.take(ANN)).isInstanceOf(Place.class);
  }

  @Test
  @DisplayName("Only operators take the reserve, and have a share of all places as well")
  void reserve() {
    Places places = Places.shared(40, 25);
    for (int i = 0; i < 3; i++) {
      assertThat(fill(places, agent(i))).hasSize(11);
    }
    List<Outcome> rest = fill(places, agent(3));
    assertThat(rest).hasSize(9);
    assertThat(rest.getLast()).isEqualTo(new NoPlace(UNRESERVED, 38));
    assertThat(places.take(SCHEDULE)).isEqualTo(new NoPlace(UNRESERVED, 38));
    List<Outcome> operators = fill(places, OP);
    assertThat(operators).hasSize(3);
    assertThat(operators.getLast()).isEqualTo(new NoPlace(ALL, 40));
  }

  @Test
  @DisplayName("The process itself has no share")
  void own() {
    Places places = Places.shared(20, 25);
    assertThat(fill(places, SCHEDULE)).hasSize(20).last().isEqualTo(new NoPlace(UNRESERVED, 19));
    assertThat(places.take(OP)).isInstanceOf(Place.class);
  }

  @ParameterizedTest(name = "{0} places, {1} %: {2} for one caller, {3} for all that are not operators")
  @DisplayName("However few places there are, a caller has one, and not all are reserved")
  @CsvSource({"1,25,1,1", "2,25,1,1", "3,25,1,2", "10,25,2,9", "4000,25,1000,3800",
      "2147483647,25,536870911,2040109466",
      "10,1,1,9", "10,100,9,9"})
  void few(int limit, int percent, int ofOne, int ofOthers) {
    Places places = Places.shared(limit, percent);
    if (limit <= 4000) {
      assertThat(fill(places, ANN)).hasSize(ofOne + 1);
    }
    Places others = Places.shared(Math.min(limit, 4000), percent);
    assertThat(fill(others, SCHEDULE)).hasSize(Math.min(ofOthers, 3800) + 1);
  }

  @Test
  @DisplayName("A process with one caller gives it all places")
  void alone() {
    assertThat(fill(Places.ofOneCaller(4), ANN)).hasSize(5).last().isEqualTo(new NoPlace(ALL, 4));
  }

  @Test
  @DisplayName("The largest holders come first; a place that is closed twice is given back once")
  void holdings() {
    Places places = Places.shared(100, 25);
    List<Outcome> taken = new ArrayList<>();
    for (Holder holder : List.of(OP, ANN, ANN, SCHEDULE, ANN)) {
      taken.add(places.take(holder));
    }
    assertThat(places.holdings()).containsExactly(new Holding(ANN, 3), new Holding(OP, 1), new Holding(SCHEDULE, 1));
    assertThat(places.taken(Role.AGENT)).isEqualTo(3);
    assertThat(places.taken(null)).isEqualTo(1);
    Place first = (Place) taken.get(1);
    first.close();
    first.close();
    assertThat(places.holdings()).startsWith(new Holding(ANN, 2));
    assertThat(places.taken()).isEqualTo(4);
  }

  @Test
  @DisplayName("Of many threads that take and give back, none exceeds a limit, and nothing is left in the end")
  void races() throws Exception {
    Places places = Places.shared(40, 25);
    AtomicInteger most = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    List<Callable<Void>> work = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      int number = i;
      RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(number);
      work.add(() -> {
        List<Place> mine = new ArrayList<>();
        for (int step = 0; step < 2000; step++) {
          if (random.nextBoolean()) {
            switch (places.take(agent(number % 5))) {
              case Place place -> mine.add(place);
              case NoPlace _ -> refused.incrementAndGet();
            }
          } else if (!mine.isEmpty()) {
            mine.removeLast().close();
          }
          most.accumulateAndGet(places.taken(), Math::max);
          assertThat(places.holdings()).allSatisfy(it -> assertThat(it.places()).isBetween(1, 10));
        }
        mine.forEach(Place::close);
        return null;
      });
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
    }
    assertThat(most.get()).isBetween(10, 38);
    assertThat(refused.get()).isPositive();
    assertThat(places.taken()).isZero();
    assertThat(places.holdings()).isEmpty();
  }
}

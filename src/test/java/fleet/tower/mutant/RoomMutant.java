package fleet.tower.mutant;

import java.util.List;

/**
 * A mutant that tests of its room must find.
 *
 * @param tests the tests that must find it, as {@code run/submit/RunsTest#locked}; without a method, the whole class
 */
record RoomMutant(Mutation mutation, List<String> tests) {

  static RoomMutant of(String name, String file, String original, String mutated, String... tests) {
    return new RoomMutant(new Mutation(name, file, List.of(new Mutation.Edit(original, mutated))), List.of(tests));
  }

  @Override
  public String toString() {
    return mutation.name();
  }
}

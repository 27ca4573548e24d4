package fleet.tower.lock.file.mutant;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.mutant.Mutation;

/**
 * A plausible bug in one file of the lock.
 *
 * @param only the one promise that it must break, or null for any
 */
record Mutant(Mutation mutation, @Nullable String only) {
  Mutant(String name, String file, List<Mutation.Edit> edits, @Nullable String only) {
    this(new Mutation(name, file, edits), only);
  }

  Mutant(String name, String file, String original, String mutated) {
    this(name, file, List.of(new Mutation.Edit(original, mutated)), null);
  }

  String name() {
    return mutation.name();
  }

  @Override
  public String toString() {
    return name();
  }
}

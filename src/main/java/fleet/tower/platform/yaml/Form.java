package fleet.tower.platform.yaml;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * What a kind of file is called when there is something to say about one.
 *
 * @param noun what one is, as {@code an intent}
 * @param ifEmpty what is wrong with one that holds nothing; null where that is as good as any
 * @param ifSecond what to do with a second document
 * @param ifLong what to do when there is more than anybody means
 */
public record Form(String noun, @Nullable String ifEmpty, String ifSecond, String ifLong) {
  public Form {
    requireNonNull(noun);
    requireNonNull(ifSecond);
    requireNonNull(ifLong);
  }
}

package fleet.tower.platform.yaml;

import org.jspecify.annotations.Nullable;

/**
 * A kind of file, as error messages describe it.
 *
 * @param noun the noun with its article, such as {@code an intent}
 * @param ifEmpty the error for an empty file; null if a file may be empty
 * @param ifSecond the remedy for a second document
 * @param ifLong the remedy for a file that is too large
 */
public record FileKind(String noun, @Nullable String ifEmpty, String ifSecond, String ifLong) {}

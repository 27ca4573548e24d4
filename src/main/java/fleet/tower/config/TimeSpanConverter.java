package fleet.tower.config;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.ConditionalGenericConverter;

import fleet.tower.time.TimeSpans;

/** Reads our own settings that are {@link TimeSpan}s with the parser of the commands; those of Spring stay as Spring reads them. */
@ConfigurationPropertiesBinding
final class TimeSpanConverter implements ConditionalGenericConverter {
  @Override
  public Set<ConvertiblePair> getConvertibleTypes() {
    return Set.of(new ConvertiblePair(CharSequence.class, Duration.class), new ConvertiblePair(Number.class, Duration.class));
  }

  @Override
  public boolean matches(TypeDescriptor source, TypeDescriptor target) {
    return target.hasAnnotation(TimeSpan.class);
  }

  @Override
  public @Nullable Object convert(@Nullable Object value, TypeDescriptor source, TypeDescriptor target) {
    return TimeSpans.parse(String.valueOf(value)).orElseThrow(
        () -> new IllegalArgumentException("'" + value + "' is not a time span like 90s, 15m, 8h or 2d"));
  }
}

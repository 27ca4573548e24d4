package fleet.tower.service.config;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.GenericConverter;

import fleet.tower.platform.time.TimeSpans;

/** Converts settings to {@link TimeSpan}s with the parser of the commands. */
@ConfigurationPropertiesBinding
final class TimeSpanConverter implements GenericConverter {
  @Override
  public Set<ConvertiblePair> getConvertibleTypes() {
    return Set.of(new ConvertiblePair(CharSequence.class, TimeSpan.class),
        new ConvertiblePair(Number.class, TimeSpan.class));
  }

  @Override
  public @Nullable Object convert(@Nullable Object value, TypeDescriptor source, TypeDescriptor target) {
    return TimeSpans.parse(String.valueOf(value)).map(TimeSpan::new).orElseThrow(
        () -> new IllegalArgumentException("'" + value + "' is not a time span like 90s, 15m, 8h or 2d"));
  }
}

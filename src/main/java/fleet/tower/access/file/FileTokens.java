package fleet.tower.access.file;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.KnownTokens;
import fleet.tower.access.TokenSource;
import fleet.tower.platform.yaml.Complaint;

/**
 * The tokens in the files of a home.
 *
 * @param operator the operator's token; null in a fleet, which has one for all hosts
 */
record FileTokens(@Nullable CurrentOperator operator, TokensFile others) implements TokenSource {

  @Override
  public KnownTokens known() {
    return new KnownTokens(operator == null ? List.of() : operator.get().generations(), others.grants());
  }

  @Override
  public KnownTokens renewed() {
    return new KnownTokens(operator == null ? List.of() : operator.renewed().generations(), others.renewed());
  }

  @Override
  public List<String> complaints() {
    return Stream.concat(operator == null ? Stream.empty() : operator.complaints().stream(),
        others.complaints().stream().map(Complaint::toString)).toList();
  }
}

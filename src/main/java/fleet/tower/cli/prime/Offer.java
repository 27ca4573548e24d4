package fleet.tower.cli.prime;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Intent;
import fleet.tower.intent.Template;

/**
 * An intent as somebody sees it who may run it.
 *
 * @param lock the template of its lock; null where it takes none
 */
public record Offer(String name, String mode, String description, @Nullable String lock, List<Param> params) {
  public Offer {
    requireNonNull(name);
    requireNonNull(mode);
    requireNonNull(description);
    params = List.copyOf(params);
  }

  /** One parameter. */
  public record Param(String name, boolean required, boolean secret) {
    public Param {
      requireNonNull(name);
    }
  }

  /** An intent of a catalogue. */
  public static Offer of(Intent intent) {
    return new Offer(intent.name(), intent.mode().toString(), intent.metadata().description(),
        intent.lock().map(Template::source).orElse(null),
        intent.params().stream().map(it -> new Param(it.name(), it.required(), it.secret())).toList());
  }

  /** The command that runs it; a secret goes by a file, where no list of processes shows it. */
  String command() {
    String words = params.stream().filter(it -> !it.secret())
        .map(it -> it.required() ? " -p " + it.name() + "=…" : " [-p " + it.name() + "=…]")
        .collect(Collectors.joining());
    String secrets = params.stream().filter(Param::secret).map(Param::name).collect(Collectors.joining(", "));
    return "tower run " + name + words + (secrets.isEmpty() ? "" : " --params-file FILE (with " + secrets + ")");
  }
}

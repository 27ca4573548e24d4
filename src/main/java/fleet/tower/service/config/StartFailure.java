package fleet.tower.service.config;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.bind.validation.ValidationErrors;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

import fleet.tower.answer.Reply;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidConfiguration;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.run.members.Membership;

/** The reason why the service could not start, and what to do about it. */
final class StartFailure {
  private StartFailure() {}

  static Reply reply(RuntimeException failure, Path home) {
    Path config = home.resolve("config/application.yaml");
    Deque<Throwable> causes = new ArrayDeque<>();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      causes.push(cause);
    }
    for (Throwable cause : causes) {
      Reply known = known(cause, config);
      if (known != null) {
        return known;
      }
    }
    return Reply.failure(ErrorCode.START_FAILED, "the service could not start: " + oneLine(causes.getFirst()),
        "check " + config
            + " and at the environment's SERVER_… and TOWER_… variables");
  }

  private static @Nullable Reply known(Throwable cause, Path config) {
    return switch (cause) {
      case InvalidConfiguration e -> Reply.failure(ErrorCode.INVALID_CONFIG, e.problem(), "correct it and start again");
      case InvalidValue e ->
        Reply.failure(ErrorCode.INVALID_CONFIG, e.problem(), "correct the value, or remove it");
      case StorageException e -> Reply.failure(ErrorCode.STORAGE_UNAVAILABLE, oneLine(e), "see `tower doctor`");
      case Membership.NameTakenException e ->
        Reply.failure(ErrorCode.HOST_ID_TAKEN, oneLine(e), "set tower.host-id, or TOWER_HOST_ID");
      case PortInUseException e -> Reply.failure(ErrorCode.PORT_IN_USE, "port " + e.getPort() + " is in use",
          "stop the process that listens there, or use `tower serve --port N`; 0 picks a free port");
      case MarkedYAMLException e -> Reply.failure(ErrorCode.INVALID_CONFIG, config + " is not valid YAML: "
          + (e.getProblemMark() == null
              ? oneLine(e)
              : "line " + (e.getProblemMark().getLine() + 1) + ", column " + (e.getProblemMark().getColumn() + 1) + ": "
                  + e.getProblem()),
          "correct the file and start again");
      case YAMLException e -> Reply.failure(ErrorCode.INVALID_CONFIG, config + " is not valid YAML: " + oneLine(e),
          "correct the file and start again");
      case UnboundConfigurationPropertiesException e -> Reply.failure(ErrorCode.INVALID_CONFIG, "there is no setting "
          + e.getUnboundProperties().stream().map(StartFailure::place).sorted().findFirst().orElse("like that"),
          "correct its name, or remove it");
      case BindValidationException e -> Reply.failure(ErrorCode.INVALID_CONFIG, "the setting "
          + invalid(e.getValidationErrors()), "correct the value, or remove it");
      case BindException e -> Reply.failure(ErrorCode.INVALID_CONFIG, "the setting "
          + (e.getProperty() == null ? e.getName().toString() : place(e.getProperty())) + " is invalid: "
          + oneLine(innermost(e)), "correct the value, or remove it");
      default -> null;
    };
  }

  private static String invalid(ValidationErrors errors) {
    ObjectError error = errors.getAllErrors().getFirst();
    ConfigurationPropertyName name = error instanceof FieldError field
        ? errors.getName().append(DataObjectPropertyName.toDashedForm(field.getField()))
        : errors.getName();
    String place = errors.getBoundProperties().stream().filter(property -> property.getName().equals(name))
        .map(StartFailure::place).findFirst().orElse(name.toString());
    return place + " is invalid: " + error.getDefaultMessage();
  }

  private static Throwable innermost(Throwable failure) {
    Throwable at = failure;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    return at;
  }

  private static String place(ConfigurationProperty property) {
    return property.getName() + (property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")");
  }

  private static String oneLine(Throwable failure) {
    String message = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    return message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}

package fleet.tower.service.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.jspecify.annotations.Nullable;

import fleet.tower.home.Setting;
import fleet.tower.home.Settings;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;

/** A value that the setting of this name takes, as the table of {@link Settings} has it. */
@Constraint(validatedBy = Allowed.Validator.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
@interface Allowed {
  /** The name of the setting, below {@code tower.}. */
  String value();

  /** Replaced by what the setting allows. */
  String message() default "";

  /** None. */
  Class<?>[] groups() default {};

  /** None. */
  Class<? extends Payload>[] payload() default {};

  /** Checks a value against the table. */
  final class Validator implements ConstraintValidator<Allowed, Object> {
    private Setting<?> setting = Settings.HOME;

    @Override
    public void initialize(Allowed allowed) {
      setting = Settings.named(allowed.value());
    }

    @Override
    public boolean isValid(@Nullable Object value, ConstraintValidatorContext context) {
      if (value == null || setting.allows(value.toString())) {
        return true;
      }
      context.disableDefaultConstraintViolation();
      context.buildConstraintViolationWithTemplate("it must be " + setting.allowed()).addConstraintViolation();
      return false;
    }
  }
}

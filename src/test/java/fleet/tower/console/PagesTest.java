package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Each page of the console")
class PagesTest extends BrowserTest {
  private final ConsoleHome home;

  PagesTest(@TempDir Path directory) {
    home = new ConsoleHome(directory);
  }

  @AfterAll
  void stop() {
    home.close();
  }

  @ParameterizedTest(name = "{0} {1}")
  @DisplayName("It is accessible in both themes, keeps its place through the login, and fits a narrow screen")
  @CsvSource({"/console/, Now"})
  void page(String path, String heading) {
    for (ColorScheme theme : new ColorScheme[]{ColorScheme.LIGHT, ColorScheme.DARK}) {
      ConsoleTab tab = tab(home.url(), theme);
      tab.open(path);
      assertThat(tab.violations()).isEmpty();
      tab.signIn(ConsoleHome.OPERATOR);
      tab.arrive(heading);
      assertThat(tab.page().locator("h1")).hasCount(1);
      assertThat(tab.violations()).isEmpty();
    }
  }
}

package fleet.tower.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;

/** Tests the Helm commands of the documents. There is no cluster to install into, so the chart is rendered. */
@DisplayName("The Helm commands of the documents")
class DocumentedChartTest {
  private static final Pattern COMMAND = Pattern
      .compile("(?m)^\\$ helm (install|upgrade|test) ((?:[^\n\\\\]|\\\\\n)*)$");

  @Test
  @DisplayName("Each installs an existing chart with valid values")
  void render() throws IOException {
    List<String> rendered = new ArrayList<>();
    for (String page : List.of("docs/deploying.md", "helm/tower-executor/README.md")) {
      COMMAND.matcher(Files.readString(Chart.BASE.resolve(page))).results()
          .filter(command -> !command.group(1).equals("test"))
          .forEach(command -> rendered.add(rendered(command.group(2).replace("\\\n", " ").strip().split("\\s+"))));
    }

    assertThat(rendered).hasSize(7).allMatch(text -> text.contains("name: tower-tower-executor\n"));
    assertThat(rendered.get(1)).contains("greet.yaml: |");
  }

  private static String rendered(String[] words) {
    TemplateCommand command = new Helm(Chart.BASE.resolve(words[1])).template().withName(words[0])
        .withKubeVersion("1.33.0");
    for (int i = 2; i < words.length; i++) {
      switch (words[i]) {
        case "--set" -> command.set(words[i + 1].split("=", 2)[0], words[++i].split("=", 2)[1]);
        case "--set-file" ->
          command.setFile(words[i + 1].split("=", 2)[0], Chart.BASE.resolve(words[++i].split("=", 2)[1]));
        case "--reuse-values" -> command.withValuesFile(Chart.valueSet("files"));
        default -> throw new AssertionError("no test knows " + words[i]);
      }
    }
    return command.call();
  }
}

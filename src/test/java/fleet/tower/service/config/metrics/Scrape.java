package fleet.tower.service.config.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import fleet.tower.service.config.TestService;

/** A scrape of a service as Prometheus gets it: samples by name and labels, unchanged. */
record Scrape(Map<String, Double> samples) {

  static Scrape of(TestService service) {
    TestService.Answer answer = service.get("/actuator/prometheus");
    assertThat(answer.status()).isEqualTo(200);
    Map<String, Double> samples = new TreeMap<>();
    answer.body().lines().filter(line -> !line.startsWith("#")).forEach(line -> {
      int space = line.lastIndexOf(' ');
      assertThat(samples.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)))).as(line).isNull();
    });
    return new Scrape(samples);
  }

  /** The samples of one metric that are not 0. */
  Map<String, Double> of(String name) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().equals(name) || sample.getKey().startsWith(name + "{"))
        .filter(sample -> sample.getValue() != 0)
        .collect(Collectors.toMap(sample -> sample.getKey().substring(name.length()), Map.Entry::getValue));
  }

  double value(String sample) {
    return samples.getOrDefault(sample, Double.NaN);
  }
}

package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.io.Resource;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;

@DisplayName("The readers of configuration classes")
class ConfigurationReadersTest {

  @Configuration(proxyBeanMethods = false)
  @AutoConfigurationPackage
  @Import(ByName.class)
  static class Main {}

  static class ByName implements ImportSelector {
    @Override
    public String[] selectImports(AnnotationMetadata importing) {
      return new String[]{Named.class.getName()};
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Named {
    @Bean
    String one() {
      return "1";
    }
  }

  @Test
  @DisplayName("No packages are left for Spring Boot to search")
  void packages() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.addBeanFactoryPostProcessor(new ConfigurationReaders());
      context.register(Main.class);
      context.refresh();

      assertThat(AutoConfigurationPackages.has(context)).isFalse();
    }
  }

  @Test
  @DisplayName("Spring reads configuration classes through them, each file once")
  void used() {
    List<String> read = new ArrayList<>();
    ConfigurationReaders readers = new ConfigurationReaders() {
      @Override
      public MetadataReader getMetadataReader(Resource resource) throws IOException {
        MetadataReader reader = super.getMetadataReader(resource);
        read.add(reader.getClass().getSimpleName() + " " + resource.getFilename());
        assertThat(super.getMetadataReader(resource)).isSameAs(reader);
        return reader;
      }
    };
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.addBeanFactoryPostProcessor(readers);
      context.register(Main.class);
      context.refresh();

      assertThat(context.getBean("one")).isEqualTo("1");
    }
    assertThat(read).contains("SimpleMetadataReader ConfigurationReadersTest$Named.class");
  }
}

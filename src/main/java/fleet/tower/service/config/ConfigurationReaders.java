package fleet.tower.service.config;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.core.io.Resource;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/**
 * The readers of configuration classes, by Spring's own parser of class files. On JDK 24 or newer, Spring would use the
 * JDK's parser through classes in {@code META-INF/versions}, which an AOT cache cannot contain.
 */
class ConfigurationReaders extends SimpleMetadataReaderFactory implements BeanDefinitionRegistryPostProcessor {
  private final Map<Resource, MetadataReader> known = new HashMap<>();

  @Override
  public MetadataReader getMetadataReader(Resource resource) throws IOException {
    MetadataReader reader = known.get(resource);
    if (reader == null) {
      reader = super.getMetadataReader(resource);
      known.put(resource, reader);
    }
    return reader;
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    registry.getBeanDefinition(AnnotationConfigUtils.CONFIGURATION_ANNOTATION_PROCESSOR_BEAN_NAME).getPropertyValues()
        .add("metadataReaderFactory", this);
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    known.clear();
    // Otherwise Spring Boot reads all classes of these packages in search of Jackson mixins, which do not exist here.
    ((BeanDefinitionRegistry) beans).removeBeanDefinition(AutoConfigurationPackages.class.getName());
  }
}

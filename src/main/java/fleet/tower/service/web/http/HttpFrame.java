package fleet.tower.service.web.http;

import java.io.File;
import java.io.IOException;
import java.util.List;

import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import fleet.tower.access.Caller;
import fleet.tower.home.Home;
import jakarta.servlet.http.HttpServletRequest;

/** Configures the arguments and errors of all controllers. Callers are authenticated before. */
@Configuration(proxyBeanMethods = false)
@Import({ErrorAnswers.class, ErrorPage.class})
public class HttpFrame implements WebMvcConfigurer {
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> errorValve() {
    return factory -> factory.addContextCustomizers(context -> {
      if (context.getParent() instanceof StandardHost host) {
        host.setErrorReportValveClass("");
        host.getPipeline().addValve(new ErrorValve());
      }
    });
  }

  /**
   * Tomcat creates no directories, because a killed service would leave them. It needs none: no files are served, there
   * are no uploads, and sessions are not stored.
   */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> withoutDirectories(Home home) {
    File root = home.root().toFile();
    return factory -> {
      if (factory.getBaseDirectory() == null) {
        factory.setBaseDirectory(root);
      }
      factory.getSettings().setDocumentRoot(root);
      factory.addContextCustomizers(context -> {
        context.setDocBase(null);
        if (context instanceof StandardContext standard) {
          standard.setWorkDir(root.getAbsolutePath());
        }
      });
    };
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new Resolver<>(Caller.class, (request, _) -> callerOf(request)));
    resolvers.add(new Resolver<>(Query.class, (request, _) -> new Query(request)));
  }

  /** The identified caller of a request. */
  public static Caller callerOf(HttpServletRequest request) {
    if (request.getAttribute(Caller.class.getName()) instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException(request.getRequestURI() + " was reached without a caller");
  }

  /** Resolves controller arguments by type. */
  private record Resolver<T>(Class<T> type, Source<T> source) implements HandlerMethodArgumentResolver {

    private interface Source<T> {
      T of(HttpServletRequest request, Class<? extends T> type) throws IOException;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return type.isAssignableFrom(parameter.getParameterType());
    }

    @Override
    public @Nullable Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
        NativeWebRequest request, @Nullable WebDataBinderFactory binders) throws IOException {
      return source.of((HttpServletRequest) request.getNativeRequest(),
          parameter.getParameterType().asSubclass(type));
    }
  }
}

package fleet.tower.service.web.call;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

import fleet.tower.access.Places;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.service.web.http.HttpFrame;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Counts event streams among the waiting calls while they last. */
final class StreamBound implements HandlerInterceptor {
  private static final Set<MediaType> STREAM = Set.of(MediaType.TEXT_EVENT_STREAM);
  private static final String PLACE = StreamBound.class.getName();

  private final WaitingCalls endings;

  StreamBound(WaitingCalls endings) {
    this.endings = endings;
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (STREAM.equals(request.getAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE))) {
      request.setAttribute(PLACE, endings.enter(HttpFrame.callerOf(request)));
    }
    return true;
  }

  @Override
  public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
      @Nullable Exception failure) {
    if (request.getAttribute(PLACE) instanceof Places.Place place) {
      place.close();
    }
  }
}

package fleet.tower.service.call;

import org.springframework.http.ResponseEntity;

import fleet.tower.service.web.http.Json;

interface CallAnswersSpring {
  ResponseEntity<byte[]> answer(Json json);
}

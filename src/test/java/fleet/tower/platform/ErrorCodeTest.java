package fleet.tower.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Error codes, their exit codes and their HTTP statuses")
class ErrorCodeTest {
  @Test
  @DisplayName("Every code has the documented exit code and status")
  void table() {
    assertThat(Arrays.stream(ErrorCode.values()).map(code -> code.code() + " " + code.exit().code()
        + (code.hasStatus() ? " " + code.status() : "")).sorted().collect(Collectors.joining("\n", "", "\n")))
        .isEqualTo("""
            ambiguous_home 64
            ambiguous_run_id 64
            approval_closed 2 409
            approval_expired 2 409
            approval_not_found 3 404
            approval_rejected 2 409
            cancelled 1
            claim_contention 2 409
            claim_not_owned 4 409
            command_not_run 1
            content_too_large 1 413
            dead_letter_not_found 3 404
            dependencies_open 2 409
            disk_full 69 507
            file_not_found 3
            forbidden 77 403
            foreign_lock 2 409
            halt_not_found 3 404
            halted 2 409
            headers_too_large 1 431
            home_in_use 2
            home_moved 1
            home_untrusted 77
            host_id_taken 69
            http_version_not_supported 1 505
            idempotency_mismatch 64 422
            identity_unavailable 1 503
            intent_changed 1 409
            intent_not_found 3 404
            internal_error 1 500
            invalid_config 78
            invalid_lock_name 64 400
            invalid_params 64 400
            invalid_request 64 400
            lock_blocked 2 409
            lock_corrupt 1 409
            lock_frozen 2 409
            lock_lost 6 409
            lock_not_found 3 404
            lock_of_run 4 409
            lock_release_failed 1 503
            lock_request_withdrawn 1 409
            lock_required 64
            lock_stale 5 409
            lock_wait_timeout 2 409
            mailbox_full 69 507
            message_exists 1 409
            method_not_allowed 1 405
            move_clashes 1
            no_home 64
            no_probe 1 409
            not_a_home 64
            not_acceptable 1 406
            not_found 1 404
            not_frozen 3 404
            not_implemented 1 501
            not_lock_owner 4 409
            not_waiting 1 404
            own_request 77 403
            params_not_allowed 77 403
            plan_changed 2 409
            plan_hash_mismatch 2 409
            port_in_use 69
            quota_exceeded 2 429
            receipt_handle_expired 6 409
            reply_not_available 1 422
            run_active 2 409
            run_finished 1 409
            run_not_found 3 404
            run_wait_timeout 2
            secrets_lost 1 409
            server_unavailable 69
            server_untrusted 69
            shutting_down 69 503
            start_failed 69
            storage_unavailable 69 503
            task_completed 1 409
            task_exists 1 409
            task_not_found 3 404
            token_not_found 3
            too_many_bad_tokens 1 429
            too_many_runs 2 429
            too_many_waiters 2 429
            too_many_waiting_calls 1 429
            unauthorized 77 401
            unknown_dependency 3 422
            unsupported_lock_version 1 409
            unsupported_media_type 1 415
            usage 64
            window_closed 2 409
            """);
  }

  @Test
  @DisplayName("A code is found by its text; a newer service's code is unknown, and a command's code has no status")
  void text() {
    assertThat(ErrorCode.values()).allSatisfy(code -> assertThat(ErrorCode.of(code.code())).contains(code));
    assertThat(ErrorCode.of("lock_painted")).isEmpty();
    assertThat(ErrorCode.USAGE.code()).isEqualTo("usage");
    assertThatThrownBy(ErrorCode.NO_HOME::status).isInstanceOf(IllegalStateException.class)
        .hasMessage("no HTTP answer has the code no_home");
  }

  @Test
  @DisplayName("A call is retryable if a service or its storage is unavailable")
  void passing() {
    assertThat(ErrorCode.values()).filteredOn(ErrorCode::isPassing).containsExactly(ErrorCode.STORAGE_UNAVAILABLE,
        ErrorCode.SHUTTING_DOWN, ErrorCode.SERVER_UNAVAILABLE);
  }

  @Test
  @DisplayName("TF-A23 the exit codes are the documented ones")
  void exits() {
    assertThat(Stream.of(Exit.DONE, Exit.FAILED, Exit.HELD, Exit.NOT_FOUND, Exit.NOT_OWNER, Exit.STALE, Exit.LOST,
        Exit.USAGE, Exit.UNAVAILABLE)).extracting(Exit::code).containsExactly(0, 1, 2, 3, 4, 5, 6, 64, 69);
  }
}

;; What Go's runtime asks of WASI preview 1, answered inside the component: a component of this SDK imports the workload
;; interface and nothing else. There is no time, no chance, no argument, no file.
;;
;; What is written to standard error is kept, and becomes one log line when the runtime gives up, as with
;; a map that two goroutines write to. (A panic never comes here; the SDK logs it.) What is written to standard output is a log line of
;; level `debug`, so that `fmt.Println` shows in `engine try`.
(module
  (import "engine:workload/actions@0.1.0" "log" (func $log (param i32 i32 i32)))
  ;; The memory of the module made by Go. Its data begins at 12288 (`wasmMinDataAddr` in cmd/link): the 8 KiB before that
  ;; are kept for arguments and environment, in JavaScript alone. Here: at 4096 the length of the kept text, then the text.
  (import "env" "memory" (memory 0))

  ;; Keeps text of at most 4096 bytes, newlines and tabs as spaces; what is more is dropped.
  (func $keep (param $from i32) (param $length i32)
    (local $at i32) (local $byte i32)
    (local.set $at (i32.load (i32.const 4096)))
    (block $full
      (loop $next
        (br_if $full (i32.eqz (local.get $length)))
        (br_if $full (i32.ge_u (local.get $at) (i32.const 4096)))
        (local.set $byte (i32.load8_u (local.get $from)))
        (if (i32.lt_u (local.get $byte) (i32.const 32)) (then (local.set $byte (i32.const 32))))
        (i32.store8 (i32.add (i32.const 4100) (local.get $at)) (local.get $byte))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (local.set $length (i32.sub (local.get $length) (i32.const 1)))
        (br $next)))
    (i32.store (i32.const 4096) (local.get $at)))

  ;; Ends the instance. The runtime's own end has a status, and what it wrote is logged; level 3 is `error`. The SDK has
  ;; logged a panic itself, and asks for 0.
  (func (export "proc_exit") (param $status i32)
    (if (i32.and (i32.ne (local.get $status) (i32.const 0)) (i32.ne (i32.load (i32.const 4096)) (i32.const 0)))
      (then (call $log (i32.const 3) (i32.const 4100) (i32.load (i32.const 4096)))))
    unreachable)

  ;; Standard output: a log line for each write, level 0, without the newline at its end. Standard error: kept.
  (func (export "fd_write") (param $fd i32) (param $vectors i32) (param $count i32) (param $written i32) (result i32)
    (local $total i32) (local $from i32) (local $length i32) (local $shown i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $from (i32.load (local.get $vectors)))
        (local.set $length (i32.load offset=4 (local.get $vectors)))
        (local.set $total (i32.add (local.get $total) (local.get $length)))
        (if (i32.eq (local.get $fd) (i32.const 2))
          (then (call $keep (local.get $from) (local.get $length)))
          (else
            (local.set $shown (local.get $length))
            (if (local.get $length)
              (then
                (if (i32.eq (i32.load8_u (i32.sub (i32.add (local.get $from) (local.get $length)) (i32.const 1))) (i32.const 10))
                  (then (local.set $shown (i32.sub (local.get $length) (i32.const 1)))))))
            (call $log (i32.const 0) (local.get $from) (local.get $shown))))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $written) (local.get $total))
    (i32.const 0))

  ;; The time stands still. 1 s and not 0, which the runtime takes for "no clock".
  (func (export "clock_time_get") (param i32 i64 i32) (result i32)
    (i64.store (local.get 2) (i64.const 1000000000))
    (i32.const 0))

  ;; Always the same bytes. They seed the hashes of maps; `ctx.Rng()` has nothing to do with them.
  (func (export "random_get") (param $at i32) (param $length i32) (result i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $length)))
        (local.set $length (i32.sub (local.get $length) (i32.const 1)))
        (i32.store8 (i32.add (local.get $at) (local.get $length))
          (i32.add (i32.mul (local.get $length) (i32.const 151)) (i32.const 29)))
        (br $next)))
    (i32.const 0))

  ;; Asked when no goroutine can go on. What is written here, for an adapter has no data of its own:
  ;; "the flow sleeps, or waits for a channel or a lock: wait through ctx"
  (func (export "poll_oneoff") (param i32 i32 i32 i32) (result i32)
    (i64.store (i32.const 4100) (i64.const 0x776f6c6620656874))
    (i64.store (i32.const 4108) (i64.const 0x2c737065656c7320))
    (i64.store (i32.const 4116) (i64.const 0x7469617720726f20))
    (i64.store (i32.const 4124) (i64.const 0x206120726f662073))
    (i64.store (i32.const 4132) (i64.const 0x206c656e6e616863))
    (i64.store (i32.const 4140) (i64.const 0x636f6c206120726f))
    (i64.store (i32.const 4148) (i64.const 0x2074696177203a6b))
    (i64.store (i32.const 4156) (i64.const 0x206867756f726874))
    (i64.store (i32.const 4164) (i64.const 0x0000000000787463))
    (call $log (i32.const 3) (i32.const 4100) (i32.const 67))
    unreachable)

  (func (export "sched_yield") (result i32) (i32.const 0))

  ;; No arguments, no environment.
  (func $none (param $count i32) (param $bytes i32) (result i32)
    (i32.store (local.get $count) (i32.const 0))
    (i32.store (local.get $bytes) (i32.const 0))
    (i32.const 0))
  (func (export "args_sizes_get") (param i32 i32) (result i32) (call $none (local.get 0) (local.get 1)))
  (func (export "environ_sizes_get") (param i32 i32) (result i32) (call $none (local.get 0) (local.get 1)))
  (func (export "args_get") (param i32 i32) (result i32) (i32.const 0))
  (func (export "environ_get") (param i32 i32) (result i32) (i32.const 0))

  ;; No file system and no network. 8 is `badf`: no descriptor is open; 52 is `nosys`.
  (func (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_close") (param i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_flags") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_rights") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_size") (param i32 i64) (result i32) (i32.const 8))
  (func (export "fd_pread") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_pwrite") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_read") (param i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_readdir") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_seek") (param i32 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_sync") (param i32) (result i32) (i32.const 8))
  (func (export "path_create_directory") (param i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_filestat_get") (param i32 i32 i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_filestat_set_times") (param i32 i32 i32 i32 i64 i64 i32) (result i32) (i32.const 52))
  (func (export "path_link") (param i32 i32 i32 i32 i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_open") (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32) (i32.const 52))
  (func (export "path_readlink") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_remove_directory") (param i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_rename") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_symlink") (param i32 i32 i32 i32 i32) (result i32) (i32.const 52))
  (func (export "path_unlink_file") (param i32 i32 i32) (result i32) (i32.const 52))
  (func (export "sock_accept") (param i32 i32 i32) (result i32) (i32.const 52))
  (func (export "sock_shutdown") (param i32 i32) (result i32) (i32.const 52)))

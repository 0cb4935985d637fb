;; A plugin that does what its configuration says, as a list of calls: of each a number and up to 16 arguments as they
;; are handed to the host, so that also what no compiler would make can be said. See guest.rs for the layout.
(module
  (import "engine:workload/actions@0.1.0" "register-blob" (func $register-blob (param i32 i32) (result i32)))
  (import "engine:workload/actions@0.1.0" "send" (func $send (param i32) (result i32)))
  (import "engine:workload/actions@0.1.0" "open" (func $open
    (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64) (result i32)))
  (import "engine:workload/actions@0.1.0" "write" (func $write (param i32 i32 i32 i32)))
  (import "engine:workload/actions@0.1.0" "close" (func $close (param i32 i32 i32 i32)))
  (import "engine:workload/actions@0.1.0" "cancel" (func $cancel (param i32)))
  (import "engine:workload/actions@0.1.0" "wait" (func $wait (param i64) (result i32)))
  (import "engine:workload/actions@0.1.0" "clear" (func $clear (param i32)))
  (import "engine:workload/actions@0.1.0" "mark" (func $mark (param i32 i32 i32 i32)))
  (import "engine:workload/actions@0.1.0" "count" (func $count (param i32 i64)))
  (import "engine:workload/actions@0.1.0" "observe" (func $observe (param i32 f64)))
  (import "engine:workload/actions@0.1.0" "check" (func $check (param i32 i32)))
  (import "engine:workload/actions@0.1.0" "share" (func $share (param i32 i32)))
  (import "engine:workload/actions@0.1.0" "log" (func $log (param i32 i32 i32)))
  (import "engine:workload/actions@0.1.0" "finish" (func $finish (param i32 i32 i32)))
  (import "[export]engine:workload/workload@0.1.0" "[resource-new]plan" (func $new-plan (param i32) (result i32)))
  (import "[export]engine:workload/workload@0.1.0" "[resource-new]iteration" (func $new-iteration (param i32) (result i32)))

  (memory (export "memory") 9)
  ;; Arguments of a call from the host lie from here on; forgotten when the call returns.
  (global $heap (mut i32) (i32.const 0x80000))
  ;; The call to make next, and where the list ends.
  (global $at (mut i32) (i32.const 0x10000))
  (global $end (mut i32) (i32.const 0x10000))
  ;; How often the list may still begin anew.
  (global $rounds (mut i32) (i32.const 16))

  ;; The description at 0x100, its metrics at 0x200, its texts at 0x300.
  (data (i32.const 0x100) "\00\03\00\00\08\00\00\00\00\03\00\00\01\00\00\00\00\03\00\00\08\00\00\00\00\02\00\00\04\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 0x200) "\08\03\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 0x21c) "\09\03\00\00\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 0x238) "\0a\03\00\00\01\00\00\00\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 0x254) "\0b\03\00\00\01\00\00\00\03\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 0x300) "scriptedmcok")

  (func (export "cabi_realloc") (param $old i32) (param $old-size i32) (param $align i32) (param $size i32) (result i32)
    (local $new i32)
    (local.set $new (i32.and
      (i32.add (global.get $heap) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $heap (i32.add (local.get $new) (local.get $size)))
    (if (i32.gt_u (global.get $heap) (i32.mul (memory.size) (i32.const 0x10000)))
      (then
        (if (i32.eq
              (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 2)))
              (i32.const -1))
          (then unreachable))))
    (if (local.get $old)
      (then (memory.copy (local.get $new) (local.get $old) (local.get $old-size))))
    (local.get $new))

  (func $i (param $k i32) (result i32)
    (i32.load (i32.add (global.get $at) (i32.add (i32.const 8) (i32.shl (local.get $k) (i32.const 3))))))
  (func $l (param $k i32) (result i64)
    (i64.load (i32.add (global.get $at) (i32.add (i32.const 8) (i32.shl (local.get $k) (i32.const 3))))))

  ;; Makes the next calls, up to one that says to wait.
  (func $step
    (local $what i32)
    (global.set $heap (i32.const 0x80000))
    (block $return
      (loop $next
        (br_if $return (i32.ge_u (global.get $at) (global.get $end)))
        (local.set $what (i32.load8_u (global.get $at)))
        (block $done
          (block $again (block $trap (block $blob (block $finish_ (block $log_ (block $share_ (block $check_
          (block $observe_ (block $count_ (block $mark_ (block $clear_ (block $wait_ (block $cancel_ (block $close_
          (block $write_ (block $open_ (block $send_ (block $yield
            (br_table $yield $send_ $open_ $write_ $close_ $cancel_ $wait_ $clear_ $mark_ $count_ $observe_ $check_
              $share_ $log_ $finish_ $blob $trap $again (local.get $what)))
            (global.set $at (i32.add (global.get $at) (i32.const 136)))
            (br $return))
            (drop (call $send (call $i (i32.const 0))))
            (br $done))
            (drop (call $open
              (call $i (i32.const 0)) (call $i (i32.const 1)) (call $i (i32.const 2)) (call $i (i32.const 3))
              (call $i (i32.const 4)) (call $i (i32.const 5)) (call $i (i32.const 6)) (call $i (i32.const 7))
              (call $i (i32.const 8)) (call $i (i32.const 9)) (call $i (i32.const 10)) (call $i (i32.const 11))
              (call $i (i32.const 12)) (call $i (i32.const 13)) (call $i (i32.const 14)) (call $l (i32.const 15))))
            (br $done))
            (call $write (call $i (i32.const 0)) (call $i (i32.const 1)) (call $i (i32.const 2)) (call $i (i32.const 3)))
            (br $done))
            (call $close (call $i (i32.const 0)) (call $i (i32.const 1)) (call $i (i32.const 2)) (call $i (i32.const 3)))
            (br $done))
            (call $cancel (call $i (i32.const 0)))
            (br $done))
            (drop (call $wait (call $l (i32.const 0))))
            (br $done))
            (call $clear (call $i (i32.const 0)))
            (br $done))
            (call $mark (call $i (i32.const 0)) (call $i (i32.const 1)) (call $i (i32.const 2)) (call $i (i32.const 3)))
            (br $done))
            (call $count (call $i (i32.const 0)) (call $l (i32.const 1)))
            (br $done))
            (call $observe (call $i (i32.const 0)) (f64.reinterpret_i64 (call $l (i32.const 1))))
            (br $done))
            (call $check (call $i (i32.const 0)) (call $i (i32.const 1)))
            (br $done))
            (call $share (call $i (i32.const 0)) (call $i (i32.const 1)))
            (br $done))
            (call $log (call $i (i32.const 0)) (call $i (i32.const 1)) (call $i (i32.const 2)))
            (br $done))
            (call $finish (call $i (i32.const 0)) (call $i (i32.const 1)) (call $i (i32.const 2)))
            (br $done))
            (drop (call $register-blob (call $i (i32.const 0)) (call $i (i32.const 1))))
            (br $done))
            unreachable)
          ;; From the beginning.
          (br_if $return (i32.eqz (global.get $rounds)))
          (global.set $rounds (i32.sub (global.get $rounds) (i32.const 1)))
          (global.set $at (i32.const 0x10000))
          (br $next))
        (global.set $at (i32.add (global.get $at) (i32.const 136)))
        (br $next))))

  (func (export "engine:workload/workload@0.1.0#describe") (result i32) (i32.const 0x100))

  ;; Two letters of the configuration make a byte; its first four bytes say how long the list is.
  (func (export "engine:workload/workload@0.1.0#[static]plan.configure")
    (param $config i32) (param $length i32) (param i32 i32 i32) (result i32)
    (local $k i32)
    (local.set $length (i32.shr_u (local.get $length) (i32.const 1)))
    (if (i32.gt_u (local.get $length) (i32.const 0x70000)) (then (local.set $length (i32.const 0x70000))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $k) (local.get $length)))
        (i32.store8 (i32.add (i32.const 0xfffc) (local.get $k))
          (i32.add
            (i32.shl (i32.sub (i32.load8_u (local.get $config)) (i32.const 97)) (i32.const 4))
            (i32.sub (i32.load8_u offset=1 (local.get $config)) (i32.const 97))))
        (local.set $config (i32.add (local.get $config) (i32.const 2)))
        (local.set $k (i32.add (local.get $k) (i32.const 1)))
        (br $next)))
    (global.set $end (i32.add (i32.const 0x10000) (i32.load (i32.const 0xfffc))))
    ;; A list that begins with a blob begins now, any other with the first arrival.
    (if (i32.eq (i32.load8_u (i32.const 0x10000)) (i32.const 15)) (then (call $step)))
    (i32.store (i32.const 0x400) (i32.const 0))
    (i32.store (i32.const 0x404) (call $new-plan (i32.const 1)))
    (i32.const 0x400))

  (func $none (result i32)
    (i32.store (i32.const 0x400) (i32.const 0))
    (i32.const 0x400))
  (func (export "engine:workload/workload@0.1.0#[method]plan.setup") (param i32) (result i32) (call $none))
  (func (export "engine:workload/workload@0.1.0#[method]plan.teardown") (param i32) (result i32) (call $none))
  (func (export "engine:workload/workload@0.1.0#[method]plan.start")
    (param i32 i64 i64 i64 i64 i64 i32 i32 i32 i32 i32) (result i32)
    (call $step)
    (call $new-iteration (i32.const 1)))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-response")
    (param i32 i32 i32 i32 i32 i32 i32 i64) (call $step))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-head") (param i32 i32 i32 i32 i32) (call $step))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-open") (param i32 i32 i32 i32 i32 i32) (call $step))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-items") (param i32 i32 i32 i32) (call $step))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-end") (param i32 i32 i32 i32 i32 i32) (call $step))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-failure")
    (param i32 i32 i32 i32 i32 i32) (call $step))
  (func (export "engine:workload/workload@0.1.0#[method]iteration.on-timer") (param i32 i32) (call $step)))

// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>

#include "device/cuda/worker/lockdown.h"

namespace kp::device::cuda {
namespace {

// What a CUDA process needs is listed nowhere and changes with the driver, so this says what it
// never needs.
constexpr int kDenied[] = {
    // other processes
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(process_madvise),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(tkill),
    // programs
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    // networks: what is open stays usable
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    // the kernel's large surfaces
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(personality),
    SCMP_SYS(lookup_dcookie),
    // namespaces and mounts
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    // the machine
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(syslog),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(vhangup),
};
// With another process as its first argument.
constexpr int kOnlyOurselves[] = {SCMP_SYS(kill), SCMP_SYS(tgkill)};
constexpr scmp_datum_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                        CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

bool deny(const Filter& filter, int call) {
  return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
}

bool deny_of_others(const Filter& filter, int call) {
  const scmp_arg_cmp other = SCMP_A0(SCMP_CMP_NE, static_cast<scmp_datum_t>(::getpid()));
  return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 1, other) == 0;
}

/// clone3 hides its flags in memory; the C library falls back to clone, whose flags can be seen.
bool deny_new_namespaces(const Filter& filter) {
  if (seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) != 0)
    return false;
  for (scmp_datum_t bit = 1; bit <= kNewNamespaces; bit <<= 1) {
    if ((kNewNamespaces & bit) == 0) continue;
    const scmp_arg_cmp flag = SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit);
    if (seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, flag) != 0)
      return false;
  }
  return true;
}

}  // namespace

bool filter_system_calls() {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  // Threads of the driver run already: they are bound too.
  return filter != nullptr && seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
         std::ranges::all_of(kDenied, [&](int call) { return deny(filter, call); }) &&
         std::ranges::all_of(kOnlyOurselves,
                             [&](int call) { return deny_of_others(filter, call); }) &&
         deny_new_namespaces(filter) && seccomp_load(filter.get()) == 0;
}

}  // namespace kp::device::cuda

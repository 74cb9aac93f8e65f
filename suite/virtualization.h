/* SPDX-License-Identifier: MIT */
/*
 * virtualization.h - whether a hypervisor or a container lies between us and the machine. The
 * names are those of systemd-detect-virt. Nothing is guessed: where the evidence is missing or
 * contradicts itself, the answer is that it is not known.
 */
#ifndef ASSAY_SUITE_VIRTUALIZATION_H
#define ASSAY_SUITE_VIRTUALIZATION_H

#include "roots.h"

/* "kvm", "vmware", ...; "vm" for a hypervisor that does not say which; "none"; NULL: not known. */
const char *virtualization_hypervisor(const struct roots *roots);

/* "docker", "podman", "lxc", ...; "other"; "none"; NULL: not known. */
const char *virtualization_container(const struct roots *roots);

#endif

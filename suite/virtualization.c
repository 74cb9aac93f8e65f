/* SPDX-License-Identifier: MIT */
/* virtualization.c - whether a hypervisor or a container lies between us and the machine. */
#include "virtualization.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "attribute.h"

struct mark {
	const char *text; /* what is found */
	const char *name; /* what it means */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_of(const char *text, const struct mark *marks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(text, marks[i].text))
			return marks[i].name;
	return NULL;
}

/* ---- hypervisors -------------------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
/* The processor itself names its hypervisor in leaf 0x40000000. */
static const char *from_processor(void)
{
	static const struct mark marks[] = {
		{"KVMKVMKVM", "kvm"},	     {"Linux KVM Hv", "kvm"}, {"TCGTCGTCGTCG", "qemu"},
		{"VMwareVMware", "vmware"},  {"Microsoft Hv", "microsoft"},
		{"bhyve bhyve ", "bhyve"},   {"QNXQVMBSQG", "qnx"},   {"ACRNACRNACRN", "acrn"},
		{"XenVMMXenVMM", "xen"},     {"SRESRESRESRE", "sre"}, {" lrpepyh  vr", "parallels"},
	};
	uint32_t eax, signature[4] = {0};

	__cpuid(0x40000000, eax, signature[0], signature[1], signature[2]);
	return name_of((const char *)signature, marks, COUNT(marks));
}
#else
static const char *from_processor(void)
{
	return NULL;
}
#endif

/* What the firmware says the machine is. */
static const char *from_firmware(const struct roots *roots)
{
	static const char *const files[] = {"product_name", "sys_vendor", "board_vendor",
					    "bios_vendor"};
	static const struct mark marks[] = {
		{"KVM", "kvm"},		    {"OpenStack", "kvm"},
		{"KubeVirt", "kvm"},	    {"Amazon EC2", "amazon"},
		{"QEMU", "qemu"},	    {"VMware", "vmware"},
		{"VMW", "vmware"},	    {"innotek GmbH", "oracle"},
		{"VirtualBox", "oracle"},   {"Xen", "xen"},
		{"Bochs", "bochs"},	    {"Parallels", "parallels"},
		{"BHYVE", "bhyve"},	    {"Hyper-V", "microsoft"},
		{"Virtual Machine", "microsoft"}, {"Apple Virtualization", "apple"},
		{"Google Compute Engine", "google"},
	};
	char text[256];
	const char *name = NULL;

	for (size_t i = 0; i < COUNT(files) && !name; i++)
		if (attribute_text(text, sizeof(text), "%s/class/dmi/id/%s", roots->sys, files[i]))
			name = name_of(text, marks, COUNT(marks));
	return name;
}

static const char *from_device_tree(const struct roots *roots)
{
	static const struct mark marks[] = {
		{"linux,kvm", "kvm"}, {"xen", "xen"}, {"vmware", "vmware"},
	};
	char text[256];

	if (!attribute_text(text, sizeof(text), "%s/device-tree/hypervisor/compatible",
			    roots->proc))
		return NULL;
	return name_of(text, marks, COUNT(marks));
}

/* Mainframes describe what is above them. */
static const char *from_system_information(const struct roots *roots)
{
	static const struct mark marks[] = {{"z/VM", "zvm"}, {"KVM", "kvm"}};
	char *text = attribute_file("%s/sysinfo", roots->proc), program[64];
	const char *name = NULL;

	if (text && attribute_field(text, "VM00 Control Program", program, sizeof(program)))
		name = name_of(program, marks, COUNT(marks));
	free(text);
	return name;
}

static const char *from_hypervisor_itself(const struct roots *roots)
{
	char text[64];

	if (!attribute_text(text, sizeof(text), "%s/hypervisor/type", roots->sys))
		return NULL;
	return strcmp(text, "xen") ? NULL : "xen";
}

/* Names the hypervisor that is known to be there. QEMU's firmware says nothing of KVM below it. */
static const char *which_hypervisor(const struct roots *roots)
{
	const char *firmware = from_firmware(roots);
	const char *processor = roots_live(roots) ? from_processor() : NULL;
	const char *name = from_hypervisor_itself(roots);

	if (!name && firmware && (strcmp(firmware, "qemu") != 0 || !processor))
		name = firmware;
	if (!name)
		name = processor;
	return name ? name : "vm";
}

const char *virtualization_hypervisor(const struct roots *roots)
{
	char *cpus = attribute_file("%s/cpuinfo", roots->proc), flags[8192], text[64];
	bool known = cpus && attribute_field(cpus, "flags", flags, sizeof(flags));
	const char *name;

	free(cpus);
	if (attribute_text(text, sizeof(text), "%s/xen/capabilities", roots->proc) &&
	    strstr(text, "control_d"))
		return "none"; /* the domain that has the hardware */
	if (known) /* x86: the processor says so, bare metal of a cloud included */
		return strstr(flags, "hypervisor") ? which_hypervisor(roots) : "none";
	name = from_firmware(roots);
	if (!name)
		name = from_device_tree(roots);
	if (!name)
		name = from_system_information(roots);
	return name ? name : from_hypervisor_itself(roots);
}

/* ---- containers --------------------------------------------------------------------------- */

/* The namespaces of the first process have fixed numbers (include/linux/proc_ns.h). */
static bool in_first_namespaces(const struct roots *roots, bool *known)
{
	static const struct {
		const char *kind, *first;
	} namespaces[] = {
		{"pid", "pid:[4026531836]"},
		{"uts", "uts:[4026531838]"},
		{"ipc", "ipc:[4026531839]"},
	};
	char link[64];

	*known = true;
	for (size_t i = 0; i < COUNT(namespaces); i++) {
		if (!attribute_link_name(link, sizeof(link), "%s/self/ns/%s", roots->proc,
					 namespaces[i].kind)) {
			*known = false;
			return false;
		}
		if (strcmp(link, namespaces[i].first) != 0)
			return false;
	}
	return true;
}

/* The manager's own word: what systemd was told, or what the first process was started with. */
static const char *from_manager(const struct roots *roots)
{
	static const struct mark marks[] = {
		{"docker", "docker"}, {"podman", "podman"},	    {"lxc", "lxc"},
		{"oci", "docker"},    {"systemd-nspawn", "systemd-nspawn"}, {"rkt", "rkt"},
		{"wsl", "wsl"},	      {"proot", "proot"},	    {"pouch", "pouch"},
	};
	char text[8192], *at = text;
	ssize_t got;

	if (attribute_text(text, sizeof(text), "%s/run/systemd/container",
			   roots->root ? roots->root : ""))
		return name_of(text, marks, COUNT(marks));
	got = attribute_bytes(text, sizeof(text) - 1, "%s/1/environ", roots->proc);
	if (got <= 0)
		return NULL;
	text[got] = '\0';
	for (; at < text + got; at += strlen(at) + 1)
		if (!strncmp(at, "container=", 10))
			return name_of(at + 10, marks, COUNT(marks));
	return NULL;
}

static const char *from_files(const struct roots *roots)
{
	const char *root = roots->root ? roots->root : "";

	if (attribute_exists("%s/run/.containerenv", root))
		return "podman";
	if (attribute_exists("%s/.dockerenv", root))
		return "docker";
	if (attribute_exists("%s/vz", roots->proc) && !attribute_exists("%s/bc", roots->proc))
		return "openvz";
	return NULL;
}

static const char *from_groups(const struct roots *roots)
{
	static const struct mark marks[] = {
		{"/kubepods", "kubernetes"}, {"/docker/", "docker"},	   {"/docker-", "docker"},
		{"/libpod", "podman"},	     {"/lxc/", "lxc"},		   {"/lxc.payload", "lxc"},
		{"/machine.slice/machine-", "systemd-nspawn"},
	};
	char *text = attribute_file("%s/1/cgroup", roots->proc);
	const char *name = text ? name_of(text, marks, COUNT(marks)) : NULL;

	free(text);
	return name;
}

/* A machine booted from a container's image bears its marks, in the first namespaces. */
const char *virtualization_container(const struct roots *roots)
{
	bool known, first = in_first_namespaces(roots, &known);
	const char *name = from_manager(roots);

	if (!name)
		name = from_files(roots);
	if (!name)
		name = from_groups(roots);
	if (first)
		return name ? NULL : "none";
	if (!name && known)
		return "other";
	return name;
}

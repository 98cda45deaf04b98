import type { Architecture } from "./machine.ts";

interface KernelOptions {
  readonly architecture: Architecture;
  /** Talos minor version, such as 12. */
  readonly minor: number;
  /** Extra arguments, separated by spaces; `-name` removes a default. */
  readonly extra?: string | undefined;
  /** True to boot a debug shell instead of Talos. */
  readonly hasDebugShell: boolean;
}

/** Builds the kernel command line for a boot without a boot loader. Source: talosctl's defaults by version. */
export function kernelArguments(
  { architecture, minor, extra = "", hasDebugShell }: KernelOptions,
): string {
  const console = architecture === "amd64" ? "ttyS0" : "ttyAMA0";
  const initial = [
    "init_on_alloc=1",
    "slab_nomerge=",
    "pti=on",
    "consoleblank=0",
    "nvme_core.io_timeout=4294967295",
    "printk.devkmsg=on",
    ...minor >= 10 ? ["selinux=1"] : [],
    ...minor <= 10
      ? ["ima_template=ima-ng", "ima_appraise=fix", "ima_hash=sha512"]
      : [],
    ...minor >= 12 ? ["module.sig_enforce=1"] : [],
    `console=${console},115200n8`,
    "reboot=k",
    "panic=1",
    "talos.shutdown=halt",
    "talos.platform=metal",
  ];
  const words = extra.split(/\s+/).filter((word) => word !== "");
  const removed = words.flatMap((word) =>
    word.startsWith("-") ? [word.slice(1)] : []
  );
  return [
    ...initial.filter((word) =>
      !removed.some((name) => word === name || word.startsWith(`${name}=`))
    ),
    ...words.filter((word) => !word.startsWith("-")),
    ...hasDebugShell ? ["talos.debugshell"] : [],
  ].join(" ");
}

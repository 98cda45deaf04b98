import assert from "node:assert/strict";
import { kernelArguments } from "../../../provisioners/qemu/kernel_arguments.ts";

Deno.test("kernelArguments are those of the version and the processor, changed as wanted", () => {
  const usual = {
    architecture: "amd64",
    minor: 12,
    hasDebugShell: false,
  } as const;
  assert.equal(
    kernelArguments(usual),
    "init_on_alloc=1 slab_nomerge= pti=on consoleblank=0 nvme_core.io_timeout=4294967295 printk.devkmsg=on selinux=1 module.sig_enforce=1 console=ttyS0,115200n8 reboot=k panic=1 talos.shutdown=halt talos.platform=metal",
  );
  assert.equal(
    kernelArguments({
      architecture: "arm64",
      minor: 9,
      hasDebugShell: true,
      extra: " -pti -panic  a=b quiet",
    }),
    "init_on_alloc=1 slab_nomerge= consoleblank=0 nvme_core.io_timeout=4294967295 printk.devkmsg=on ima_template=ima-ng ima_appraise=fix ima_hash=sha512 console=ttyAMA0,115200n8 reboot=k talos.shutdown=halt talos.platform=metal a=b quiet talos.debugshell",
  );
});

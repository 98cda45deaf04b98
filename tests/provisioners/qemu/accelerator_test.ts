import assert from "node:assert/strict";
import {
  type AccelerationOptions,
  chooseAccelerator,
} from "../../../provisioners/qemu/accelerator.ts";
import { withFolder } from "../../_folder.ts";

const host = { os: "linux", arch: "x86_64" };
const known: AccelerationOptions = {
  architecture: "amd64",
  device: "/dev/null",
  host,
};

async function withProgram(
  script: string,
  test: (program: string) => Promise<void>,
): Promise<void> {
  await withFolder({ qemu: `#!/bin/sh\n${script}\n` }, async (folder) => {
    await Deno.chmod(`${folder}/qemu`, 0o755);
    await test(`${folder}/qemu`);
  });
}

Deno.test("chooseAccelerator takes KVM where a test machine runs, and software where it hangs or fails", async () => {
  await withProgram("exit 33", async (program) => {
    assert.deepEqual(await chooseAccelerator("auto", { ...known, program }), {
      accelerator: "kvm",
    });
  });
  await withProgram("exec sleep 60", async (program) => {
    const { accelerator, note } = await chooseAccelerator("auto", {
      ...known,
      program,
      probeMs: 100,
    });
    assert.equal(accelerator, "tcg");
    assert.equal(
      note,
      "Using software emulation, which is much slower: KVM does not work on this machine: a test VM did not run within 0.1 s",
    );
  });
  await withProgram(
    'echo "qemu-system-x86_64: failed to set MSR" >&2; exit 1',
    async (program) => {
      await assert.rejects(chooseAccelerator("kvm", { ...known, program }), {
        message: "KVM does not work on this machine: failed to set MSR",
        hint: "Use --accel auto for software emulation, which is much slower",
      });
    },
  );
});

Deno.test("chooseAccelerator says that QEMU is not installed", () =>
  withFolder({}, async (folder) => {
    const program = `${folder}/qemu-system-x86_64`;
    for (const wanted of ["auto", "kvm"] as const) {
      await assert.rejects(chooseAccelerator(wanted, { ...known, program }), {
        name: "OsctlError",
        message: `Cannot run "${program}": it is not installed`,
      });
    }
  }));

Deno.test("chooseAccelerator knows where there is no KVM", async () => {
  const notes = await Promise.all([
    chooseAccelerator("auto", { ...known, device: "/dev/missing" }),
    chooseAccelerator("auto", { ...known, architecture: "arm64" }),
    chooseAccelerator("auto", {
      ...known,
      host: { os: "windows", arch: "x86_64" },
    }),
  ]);
  assert.deepEqual(notes.map(({ note }) => note?.split(": ").at(-1)), [
    "there is no /dev/missing",
    "its processor is not arm64",
    "it runs windows",
  ]);
  const mac = { ...known, host: { os: "darwin", arch: "x86_64" } };
  assert.deepEqual(await chooseAccelerator("auto", mac), {
    accelerator: "hvf",
  });
  assert.deepEqual(await chooseAccelerator("tcg", known), {
    accelerator: "tcg",
  });
});

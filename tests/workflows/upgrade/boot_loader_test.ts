import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readBootLoader } from "../../../workflows/upgrade/boot_loader.ts";
import { fakeNodes } from "../../_fake.ts";

/** What is found of a security state and, maybe, a variable of the boot loader. */
async function found(spec: unknown, entry?: string) {
  const bytes = new Uint8Array([
    ...[7, 0, 0, 0],
    ...[...entry ?? ""].flatMap((c) => [c.charCodeAt(0), 0]),
  ]);
  const a = {
    get() {
      if (spec === undefined) throw new RpcError("PERMISSION_DENIED", "no");
      return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
    },
    async *read({ path }: { readonly path: string }) {
      await Promise.resolve();
      assert.equal(
        path,
        "/sys/firmware/efi/efivars/LoaderEntrySelected-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
      );
      if (entry === undefined) throw new RpcError("UNKNOWN", "no such file");
      yield { bytes };
    },
  };
  return await readBootLoader(await fakeNodes({ a }).nodes.at("a"));
}

Deno.test("a boot loader is known by what the node says of its image, else by the variable it leaves", async () => {
  assert.equal(await found({ bootedWithUKI: true }), "systemd-boot");
  assert.equal(await found({ secureBoot: true }), "systemd-boot");
  assert.equal(await found({ secureBoot: false }, "os-a.efi"), "systemd-boot");
  assert.equal(await found({ secureBoot: false }), "grub");
  assert.equal(await found(undefined), undefined);
});

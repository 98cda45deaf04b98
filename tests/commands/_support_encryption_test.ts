import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { withFolder } from "../_folder.ts";
import { needs } from "../_needs.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";

async function output(
  program: string,
  ...args: readonly string[]
): Promise<Uint8Array> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return stdout;
}

async function readLine(path: string): Promise<string> {
  return (await Deno.readTextFile(path)).trim();
}

Deno.test({
  name:
    "support encrypts to keys of age and SSH, and age decrypts with each of them",
  ...needs("age", "ssh-keygen"),
  async fn() {
    await withFolder({}, async (folder) => {
      const keys = ["age", "ed25519", "rsa"].map((key) => `${folder}/${key}`);
      const [own = "", ed25519 = "", rsa = ""] = keys;
      await output("age-keygen", "-o", own);
      const recipient = /public key: (\S+)/.exec(await readLine(own))?.[1];
      for (
        const [type, path] of [["ed25519", ed25519], ["rsa", rsa]] as const
      ) {
        await output("ssh-keygen", "-q", "-t", type, "-N", "", "-f", path);
      }
      await withWire({}, async ({ osctl }) => {
        const line = ["support", "--encryption-recipients"];
        const more = await readLine(`${rsa}.pub`);
        const both = [recipient!, await readLine(`${ed25519}.pub`)].join(",");
        const { bytes, err, status } = await osctl(
          [...line, more, "-O", "-"],
          { env: { OSCTL_SUPPORT_RECIPIENTS: both } },
        );
        assert.equal(status, 0, err);
        assert.match(err, new RegExp(`^Encrypting to ${recipient}\n`));
        assert.match(err, /\nEncrypting to ssh-rsa /);
        await Deno.writeFile(`${folder}/case.age`, bytes);
        for (const key of keys) {
          const zip = await output(
            "age",
            "-d",
            "-i",
            key,
            `${folder}/case.age`,
          );
          assert.ok("manifest.json" in unzipSync(zip));
        }

        const path = `${folder}/case.zip.age`;
        const file = await osctl(
          [...line, more, "--encryption-no-default-recipients", "-O", path],
          { env: { OSCTL_SUPPORT_RECIPIENTS: both } },
        );
        assert.equal(file.status, 0, file.err);
        const zip = await output("age", "-d", "-i", rsa, path);
        assert.ok("manifest.json" in unzipSync(zip));
        const denied = await new Deno.Command("age", {
          args: ["-d", "-i", own, path],
        }).output();
        assert.equal(denied.code, 1);

        const plain = await osctl(
          ["support", "--no-encryption", "-O", "-"],
          { env: { OSCTL_SUPPORT_RECIPIENTS: both } },
        );
        assert.ok("manifest.json" in unzipSync(plain.bytes));
        const usual = await osctl(["support", "-O", "-"]);
        assert.ok("manifest.json" in unzipSync(usual.bytes));
      });
    });
  },
});

Deno.test("support refuses recipients that are no public keys, and flags that exclude each other", async () => {
  for (
    const [line, message] of [
      [
        ["--encryption-recipients", "age1nothing"],
        'Cannot encrypt to "age1nothing": it is not a public key of age or SSH',
      ],
      [
        ["--encryption-recipients", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=="],
        "it is not a public key of age or SSH",
      ],
      [
        ["--no-encryption", "--encryption-recipients", "age1nothing"],
        "--no-encryption cannot be combined",
      ],
      [
        ["--encryption-no-default-recipients"],
        "requires --encryption-recipients",
      ],
    ] as const
  ) {
    const { err, status } = await run(["support", "-O", "/nowhere/x", ...line]);
    assert.ok(err.includes(message), err);
    assert.equal(status, 2);
  }
});

import assert from "node:assert/strict";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { openSealed, parseIdentity, sealFor } from "../../pki/age.ts";
import { sshIdentity } from "../../pki/age_ssh.ts";
import { withFolder } from "../_folder.ts";
import { needs } from "../_needs.ts";

const plain = new TextEncoder().encode("a data key");

async function output(
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test({
  name:
    "age opens what osctl seals, and osctl what age seals, with keys of age and SSH",
  ...needs("age", "ssh-keygen"),
  async fn() {
    await withFolder({}, async (folder) => {
      const path = (name: string) => `${folder}/${name}`;
      const read = (name: string) => Deno.readTextFile(path(name));
      await output("age-keygen", "-o", path("age"));
      for (
        const [name, ...flags] of [
          ["ed25519", "-t", "ed25519"],
          ["rsa", "-t", "rsa", "-b", "2048"],
          ["pem", "-t", "rsa", "-b", "2048", "-m", "PEM"],
          ["pkcs8", "-t", "rsa", "-b", "2048", "-m", "PKCS8"],
        ] as const
      ) {
        await output("ssh-keygen", "-q", "-N", "", ...flags, "-f", path(name));
      }
      await Deno.writeFile(path("plain"), plain);
      const secret = /AGE-SECRET-KEY-\S+/.exec(await read("age"))?.[0] ?? "";
      const keys = [
        ["age", await identityToRecipient(secret), parseIdentity(secret)],
        ...await Promise.all(
          ["ed25519", "rsa", "pem", "pkcs8"].map(async (name) =>
            [
              name,
              (await read(`${name}.pub`)).trim(),
              sshIdentity(await read(name)),
            ] as const
          ),
        ),
      ] as const;
      for (const [name, recipient, identity] of keys) {
        await Deno.writeTextFile(path("own"), await sealFor(recipient, plain));
        const opened = await output("age", "-d", "-i", path(name), path("own"));
        assert.equal(opened, "a data key", name);

        const sealed = await output(
          "age",
          "-a",
          "-r",
          recipient,
          path("plain"),
        );
        const others = keys.filter(([other]) => other !== name)
          .map(([, , one]) => one);
        assert.equal(await openSealed(sealed, others), undefined, name);
        const own = await openSealed(sealed, [...others, identity]);
        assert.deepEqual(own, plain, name);
      }
    });
  },
});

Deno.test({
  name: "private keys with a passphrase, of other kinds and none are refused",
  ...needs("ssh-keygen"),
  async fn() {
    await withFolder({}, async (folder) => {
      const path = `${folder}/key`;
      await output(
        "ssh-keygen",
        "-q",
        "-N",
        "secret",
        "-t",
        "ed25519",
        "-f",
        path,
      );
      const locked = await Deno.readTextFile(path);
      assert.throws(() => sshIdentity(locked), /^Error: it has a passphrase$/);
      await Deno.remove(path);
      await output("ssh-keygen", "-q", "-N", "", "-t", "ecdsa", "-f", path);
      const other = await Deno.readTextFile(path);
      assert.throws(
        () => sshIdentity(other),
        /^Error: it is neither Ed25519 nor RSA$/,
      );
      assert.throws(() => sshIdentity("nothing"));
      assert.throws(() => parseIdentity("AGE-SECRET-KEY-1NOTHING"));
    });
  },
});

Deno.test("a key opens only what is sealed for it", async () => {
  const [first, second] = [
    await generateX25519Identity(),
    await generateX25519Identity(),
  ];
  const sealed = await sealFor(await identityToRecipient(first), plain);
  assert.match(sealed, /^-----BEGIN AGE ENCRYPTED FILE-----\n/);
  assert.equal(await openSealed(sealed, [second]), undefined);
  assert.deepEqual(await openSealed(sealed, [second, first]), plain);
});

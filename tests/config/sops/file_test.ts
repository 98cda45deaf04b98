import assert from "node:assert/strict";
import { coreValue } from "../../../config/tree/core_value.ts";
import { ConfigError } from "../../../errors.ts";

import { encryptByRule, parseSecretFile } from "../../../config/sops/file.ts";
import { testIdentity, testRecipient } from "../_sops_files.ts";
import { needs, posix } from "../../_needs.ts";
import { fakeSiteEnvironment, withFiles } from "../../workflows/site/_site.ts";

const rules = `creation_rules: [{age: "${testRecipient}"}]\n`;

/** What is there besides: no keys of whoever runs the tests. */
const empty = (folder: string) => ({
  HOME: folder,
  XDG_CONFIG_HOME: `${folder}/none`,
});

/** Encrypts a file by the rules of its folder. */
async function encrypted(folder: string, name = "a.yaml"): Promise<string> {
  const environment = fakeSiteEnvironment(empty(folder));
  const path = `${folder}/${name}`;
  const text = await encryptByRule(
    "password: planted\n",
    path,
    environment,
  );
  assert.ok(text !== undefined && !text.includes("planted"));
  return text;
}

async function read(
  text: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<unknown> {
  const environment = fakeSiteEnvironment({ ...empty(folder), ...variables });
  const [document] = await parseSecretFile(
    text,
    `${folder}/a.yaml`,
    environment,
  );
  return coreValue(document?.root);
}

Deno.test({
  name: "private keys are found where SOPS finds them",
  ...needs(posix),
  async fn() {
    const files = {
      ".sops.yaml": rules,
      "sops/age/keys.txt": `# created\n# public key\n${testIdentity}\n`,
      ".config/sops/age/keys.txt": testIdentity,
      "print-key":
        `#!/bin/sh\ntest "$1" = "the key" && test "$SOPS_AGE_RECIPIENT" = ${testRecipient} && echo ${testIdentity}\n`,
    };
    await withFiles(files, async (folder) => {
      await Deno.chmod(`${folder}/print-key`, 0o755);
      const text = await encrypted(folder);
      for (
        const [name, value] of [
          ["SOPS_AGE_KEY", `${testIdentity} `],
          ["SOPS_AGE_KEY_FILE", `${folder}/sops/age/keys.txt`],
          ["SOPS_AGE_KEY_CMD", `${folder}/print-key 'the key'`],
          ["XDG_CONFIG_HOME", folder],
        ] as const
      ) {
        const plain = await read(text, folder, { [name]: value });
        assert.deepEqual(plain, { password: "planted" }, name);
      }
      const failing = { SOPS_AGE_KEY_CMD: "/none/program" };
      assert.deepEqual(
        await read(text, folder, { ...failing, SOPS_AGE_KEY: testIdentity }),
        { password: "planted" },
      );
      await assert.rejects(
        read(text, folder, { SOPS_AGE_KEY_CMD: `${folder}/print-key no` }),
        ({ hint }: ConfigError) =>
          hint?.endsWith("SOPS_AGE_KEY_CMD (it ended with status 1)") ?? false,
      );
    });
  },
});

Deno.test({
  name: "private keys of SSH are found where SOPS finds them",
  ...needs("ssh-keygen"),
  async fn() {
    await withFiles({ ".ssh/none": "" }, async (folder) => {
      const path = `${folder}/.ssh/id_ed25519`;
      const args = ["-q", "-t", "ed25519", "-N", "", "-f", path];
      await new Deno.Command("ssh-keygen", { args }).output();
      const recipient = (await Deno.readTextFile(`${path}.pub`)).trim();
      const rule = `creation_rules: [{age: ["${recipient}"]}]\n`;
      await Deno.writeTextFile(`${folder}/.sops.yaml`, rule);
      const text = await encrypted(folder);
      assert.deepEqual(await read(text, folder, {}), { password: "planted" });
      await Deno.rename(path, `${folder}/key`);
      const file = { SOPS_AGE_SSH_PRIVATE_KEY_FILE: `${folder}/key` };
      assert.deepEqual(await read(text, folder, file), { password: "planted" });
    });
  },
});

Deno.test("without a private key, the error says where it was searched", async () => {
  await withFiles({ ".sops.yaml": rules }, async (folder) => {
    const text = await encrypted(folder);
    const wrong = { SOPS_AGE_KEY: "AGE-SECRET-KEY-1NOTHING" };
    await assert.rejects(read(text, folder, wrong), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.equal(
        error.message,
        `Cannot decrypt "${folder}/a.yaml": there is no private key for ${testRecipient}`,
      );
      assert.match(
        error.hint?.replaceAll(folder, ".") ?? "",
        /^Set SOPS_AGE_KEY or SOPS_AGE_KEY_FILE; searched: SOPS_AGE_KEY \(.*\), \.\/none\/sops\/age\/keys\.txt \(missing\), \.\/\.ssh\/id_ed25519 \(missing\), \.\/\.ssh\/id_rsa \(missing\)$/,
      );
      return true;
    });
  });
});

Deno.test("the first rule that matches the path decides what is encrypted", async () => {
  const files = {
    ".sops.yaml": `creation_rules:
  - path_regex: ^lab/other\\.yaml$
    age: age1nothing
  - path_regex: (?i)LAB/
    encrypted_regex: ^token$
    age: >-
      ${testRecipient},
      ${testRecipient}
`,
    "lab/x": "",
  };
  await withFiles(files, async (folder) => {
    const environment = fakeSiteEnvironment(empty(folder));
    const encrypt = (path: string) =>
      encryptByRule(
        "token: planted\nopen: shown\n",
        `${folder}/${path}`,
        environment,
      );
    const text = await encrypt("lab/a.yaml") ?? "";
    assert.match(text, /^token: ENC\[.*\nopen: shown\nsops:\n/);
    assert.match(text, /\n {4}lastmodified: "2026-01-02T03:04:05Z"\n/);
    assert.match(text, /\n {4}encrypted_regex: \^token\$\n/);
    assert.equal(text.match(/recipient: /g)?.length, 2);
    assert.deepEqual(
      await read(text, folder, { SOPS_AGE_KEY: testIdentity }),
      { token: "planted", open: "shown" },
    );
    assert.equal(await encrypt("a.yaml"), undefined);
    await assert.rejects(
      encrypt("lab/other.yaml"),
      new ConfigError(
        `Cannot read "${folder}/.sops.yaml" at line 3, column 5: "age1nothing" is not a public key of age or SSH`,
      ),
    );
  });
});

Deno.test("a rule that cannot be applied is refused by line and column", async () => {
  for (
    const [rule, place, fault] of [
      [
        "{path_regex: '['}",
        "line 1, column 19",
        `"[" is not a regular expression`,
      ],
      ["{}", "line 1, column 18", "the rule has no keys"],
      [
        "{age: x, encrypted_regex: a, encrypted_suffix: b}",
        "line 1, column 18",
        "the rule has both encrypted_suffix and encrypted_regex",
      ],
    ] as const
  ) {
    const files = { ".sops.yaml": `creation_rules: [${rule}]\n` };
    await withFiles(files, async (folder) => {
      await assert.rejects(encrypted(folder), {
        name: "ConfigError",
        message: `Cannot read "${folder}/.sops.yaml" at ${place}: ${fault}`,
      });
    });
  }
});

/** A `sops` that shows how it is called. */
const sops = `#!/bin/sh
case "$*" in
"decrypt "*) printf 'password: planted-by-sops\\nopen: 1\\n' ;;
*) echo "arguments: '$*'"; sed s/planted/ENC/ ;;
esac
`;

Deno.test({
  name: "sops is called for other keys, where it is installed",
  ...needs(posix),
  async fn() {
    const files = {
      sops,
      ".sops.yaml": "creation_rules: [{pgp: ABCD, age: ''}]\n",
    };
    const value = "ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]";
    const text = `password: ${value}\nopen: 1\nsops: {pgp: [{fp: ABCD}]}\n`;
    await withFiles(files, async (folder) => {
      await Deno.chmod(`${folder}/sops`, 0o755);
      const PATH = `${folder}:${Deno.env.get("PATH")}`;
      assert.deepEqual(
        await read(text, folder, { PATH }),
        { password: "planted-by-sops", open: 1 },
      );
      const environment = fakeSiteEnvironment({ PATH });
      assert.equal(
        await encryptByRule(
          "a: planted\n",
          `${folder}/a.yaml`,
          environment,
        ),
        `arguments: '--config ${folder}/.sops.yaml encrypt --filename-override ${folder}/a.yaml --input-type yaml --output-type yaml'\na: ENC\n`,
      );
      await assert.rejects(
        read(text, folder, { PATH: `${folder}/none` }),
        new ConfigError(
          `Cannot decrypt "${folder}/a.yaml": cannot run "sops": program not found`,
          { hint: "Install sops: it has the keys that osctl cannot use" },
        ),
      );
      await Deno.writeTextFile(
        `${folder}/sops`,
        "#!/bin/sh\necho 'no key' >&2\nexit 128\n",
      );
      await assert.rejects(
        read(text, folder, { PATH }),
        new ConfigError(`Cannot decrypt "${folder}/a.yaml": sops: no key`, {
          hint: `See: sops decrypt ${folder}/a.yaml`,
        }),
      );
    });
  },
});

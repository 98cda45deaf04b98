import assert from "node:assert/strict";
import { needs, openssl3 } from "../../../_needs.ts";
import { runIn, splitAuth } from "../../../pki/_efi.ts";
import { rsaCrt, rsaKey } from "../../../pki/_rsa.ts";
import { namesIn, readMode, toOutput } from "../../config/_file.ts";
import { type Folder, someKey, testIn } from "../_folder.ts";

const line = "gen secureboot database -o DIR/out" +
  " --enrolled-certificate DIR/crt --signing-certificate DIR/crt --signing-key DIR/key";

async function prepare({ write }: Folder): Promise<void> {
  await write("crt", rsaCrt);
  await write("key", rsaKey);
}

testIn(
  "gen secureboot database writes three updates, mode 600, and names them",
  async (folder) => {
    const { dir, osctl } = folder;
    await prepare(folder);
    assert.deepEqual(toOutput(await osctl(line)), {
      out: "",
      err: `writing ${dir}/out/db.auth
writing ${dir}/out/KEK.auth
writing ${dir}/out/PK.auth
`,
      status: 0,
    });
    assert.deepEqual(await namesIn(`${dir}/out`), [
      "KEK.auth",
      "PK.auth",
      "db.auth",
    ]);
    assert.equal(await readMode(`${dir}/out/PK.auth`), 0o600);
    const { time } = splitAuth(await Deno.readFile(`${dir}/out/PK.auth`));
    assert.equal(time.toHex(), "ea070102030405000000000000000000");
  },
);

testIn(
  "gen secureboot database writes what sbkeysync would enrol",
  async (folder) => {
    const { dir, osctl } = folder;
    await prepare(folder);
    await osctl(line);
    for (const name of ["db", "KEK", "PK"]) {
      await Deno.mkdir(`${dir}/keys/${name}`, { recursive: true });
      await Deno.rename(
        `${dir}/out/${name}.auth`,
        `${dir}/keys/${name}/${name}.auth`,
      );
    }
    await Deno.mkdir(`${dir}/firmware`);
    const output = await runIn(
      dir,
      "sbkeysync",
      ...["--verbose", "--dry-run", "--pk", "--no-default-keystores"],
      ...["--keystore", "keys", "--efivars-path", "firmware"],
    );
    const [, found = ""] = output.split("filesystem keys:\n");
    assert.equal(
      found,
      `  PK:
    /O=firmware
     from keys/PK/PK.auth
  KEK:
    /O=firmware
     from keys/KEK/KEK.auth
  db:
    /O=firmware
     from keys/db/db.auth
  dbx:
New keys in filesystem:
 keys/db/db.auth
 keys/KEK/KEK.auth
 keys/PK/PK.auth
`,
    );
  },
  needs("sbkeysync", openssl3),
);

testIn(
  "gen secureboot database refuses keys that are of another kind or certificate",
  async (folder) => {
    const { dir, osctl, write } = folder;
    await prepare(folder);
    await write("key", someKey);
    const kind = await osctl(line);
    assert.equal(
      kind.err,
      `error: Cannot use "${dir}/key": Cannot sign for firmware: expected an RSA key, found Ed25519\n`,
    );
    assert.equal(kind.status, 2);
    await osctl("gen keypair --organization DIR/other");
    const other = await osctl(
      `${line} --signing-certificate DIR/other.crt --signing-key DIR/rsa`,
    );
    assert.equal(other.err, `error: Cannot read "${dir}/rsa": no such file\n`);
    await write("rsa", rsaKey);
    const foreign = await osctl(
      `${line} --signing-certificate DIR/other.crt --signing-key DIR/rsa`,
    );
    assert.equal(
      foreign.err,
      `error: Cannot use "${dir}/rsa": Cannot sign for firmware: the key does not match the certificate\n`,
    );
    assert.equal(foreign.status, 2);
    assert.ok(!(await namesIn(dir)).includes("out"));
  },
);

testIn(
  "gen secureboot database replaces with --force only, and what it reads never",
  async (folder) => {
    const { dir, osctl, read, write } = folder;
    await prepare(folder);
    await osctl(line);
    const again = await osctl(line);
    assert.equal(
      again.err,
      `error: Cannot write "${dir}/out/db.auth", "${dir}/out/KEK.auth", "${dir}/out/PK.auth": they already exist
hint: Replace with --force
`,
    );
    assert.equal(again.status, 2);
    await write("out/PK.auth", rsaKey);
    const own = await osctl(`${line} --signing-key DIR/out/PK.auth --force`);
    assert.equal(
      own.err,
      `error: Cannot write "${dir}/out/PK.auth": it is also an input\nhint: Choose other names\n`,
    );
    assert.equal(await read("out/PK.auth"), rsaKey);
  },
);

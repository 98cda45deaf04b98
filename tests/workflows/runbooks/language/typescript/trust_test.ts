import assert from "node:assert/strict";
import { sha256Hex } from "../../../../../lib/sha256.ts";
import { ConfigError, RefusedError } from "../../../../../errors.ts";
import {
  addTrust,
  checkPolicies,
  checkTrust,
  type TrustPlaces,
} from "../../../../../workflows/runbooks/language/typescript/trust.ts";

const program = "export default 1;";
const hash = "0b84ac9ae0ae6eba1ca68d4b1b4a1b4b";

async function within(
  test: (dir: string, places: TrustPlaces) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await test(dir, {
      trusted: `${dir}/os/trusted.json`,
      policies: [`${dir}/machine.yaml`, `${dir}/user.yaml`],
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("a hash is SHA-256 of the bytes", async () => {
  assert.equal(
    await sha256Hex("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

Deno.test("a program is trusted by its content, and not when it was changed", () =>
  within(async (_, places) => {
    await assert.rejects(
      checkTrust("a.ts", program, places),
      new RefusedError(
        'Cannot use "a.ts": you have not trusted it',
        { hint: "Read it, then trust it with: osctl runbook trust a.ts" },
      ),
    );
    const at = "2026-01-02T03:04:05Z";
    const sha256 = await sha256Hex(program);
    await addTrust({ sha256, path: "a.ts", at }, places);
    await checkTrust("a.ts", program, places);
    await checkTrust("copy.ts", program, places);
    await assert.rejects(
      checkTrust("a.ts", `${program} `, places),
      new RefusedError(
        'Cannot use "a.ts": it has changed since you trusted it',
        { hint: "Read it, then trust it with: osctl runbook trust a.ts" },
      ),
    );
    const { mode } = await Deno.stat(places.trusted);
    if (Deno.build.os !== "windows") assert.equal((mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("trust: trusting new content of a path replaces the old", () =>
  within(async (_, places) => {
    const at = "2026-01-02T03:04:05Z";
    const trust = async (path: string, text: string) =>
      await addTrust({ sha256: await sha256Hex(text), path, at }, places);
    await trust("a.ts", "1");
    await trust("b.ts", "2");
    await trust("a.ts", "3");
    await assert.rejects(checkTrust("a.ts", "1", places), RefusedError);
    await checkTrust("b.ts", "2", places);
    await checkTrust("a.ts", "3", places);
  }));

Deno.test("a policy forbids programs, or allows only some", () =>
  within(async (dir, places) => {
    const sha256 = await sha256Hex(program);
    await addTrust({ sha256, path: "a.ts", at: "" }, places);
    const user = (text: string) => Deno.writeTextFile(`${dir}/user.yaml`, text);
    const listed = `typescript: listed\nallowed: ["${sha256}"]\n`;

    await user("typescript: never\n");
    await assert.rejects(
      checkTrust("a.ts", program, places),
      new RefusedError(
        `Cannot use "a.ts": "${dir}/user.yaml" forbids TypeScript runbooks`,
        { hint: "Write it as YAML" },
      ),
    );
    await user("typescript: listed\n");
    await assert.rejects(
      checkTrust("a.ts", program, places),
      new RefusedError(
        `Cannot use "a.ts": it is not allowed by "${dir}/user.yaml"`,
        { hint: `To allow it, add its hash there: ${sha256}` },
      ),
    );
    await user(listed);
    await checkTrust("a.ts", program, { ...places, trusted: `${dir}/none` });
    assert.equal(await checkPolicies("a.ts", sha256, places), true);
    await Deno.writeTextFile(`${dir}/machine.yaml`, "typescript: never\n");
    await assert.rejects(checkTrust("a.ts", program, places), RefusedError);
    await Deno.writeTextFile(`${dir}/machine.yaml`, "# nothing\n");
    await user("typescript: trusted\n");
    assert.equal(await checkPolicies("a.ts", sha256, places), false);
    await checkTrust("a.ts", program, places);
  }));

Deno.test("trust: an unreadable record is not trusted", () =>
  within(async (dir, places) => {
    await Deno.mkdir(`${dir}/os`);
    for (const text of ["{", "{}", "[]", '{"trusted": 1}']) {
      await Deno.writeTextFile(places.trusted, text);
      await assert.rejects(
        checkTrust("a.ts", program, places),
        /it is not a list of trusted runbooks/,
        text,
      );
    }
    const policies: readonly string[] = [
      "typescript: nver\n",
      "typescript: [never]\n",
      `allowed: ["${hash}"]\n`,
      "forbid: true\n",
      "- never\n",
      "typescript: never\n typescript: x",
    ];
    for (const text of policies) {
      await Deno.writeTextFile(`${dir}/user.yaml`, text);
      await assert.rejects(
        checkPolicies("a.ts", hash, places),
        ConfigError,
        text,
      );
    }
  }));

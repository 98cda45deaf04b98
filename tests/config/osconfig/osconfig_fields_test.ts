import assert from "node:assert/strict";
import { proxyAuthKeys } from "../../../talos.ts";
import { ConfigError } from "../../../errors.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";

const context = "contexts:\n    a:\n";

const refused: Record<string, { text: string; message: string; hint: string }> =
  {
    "a file that is a list": {
      text: "- a\n",
      message: 'Cannot read "f": the file is a list, not a mapping',
      hint: "Write it as keys with values below it",
    },
    "a file that is a word": {
      text: "hello\n",
      message:
        'Cannot read "f" at line 1, column 1: the file is "hello", not a mapping',
      hint: "Write it as keys with values below it",
    },
    "a current context that is a list": {
      text: "context: []\n",
      message:
        'Cannot read "f" at line 1, column 1: context is a list, not a string',
      hint: 'Write it as context: "…"',
    },
    "contexts that are a list": {
      text: "contexts:\n    - a\n",
      message:
        'Cannot read "f" at line 1, column 1: contexts is a list, not a mapping',
      hint: "Write it as keys with values below it",
    },
    "a context that is a word": {
      text: "contexts:\n    a: b\n",
      message:
        'Cannot read "f" at line 2, column 8: contexts.a is "b", not a mapping',
      hint: "Write it as keys with values below it",
    },
    "endpoints that are one word": {
      text: `${context}        endpoints: 10.0.0.2\n`,
      message:
        'Cannot read "f" at line 3, column 20: contexts.a.endpoints is "10.0.0.2", not a list of strings',
      hint: 'Write it as endpoints: ["…"]',
    },
    "an endpoint that is a mapping": {
      text: `${context}        endpoints: [b, {c: d}]\n`,
      message:
        'Cannot read "f" at line 3, column 9: contexts.a.endpoints[1] is a mapping, not a string',
      hint: "Write every item as one string",
    },
    "an endpoint that is nothing": {
      text: `${context}        nodes: [~]\n`,
      message:
        'Cannot read "f" at line 3, column 9: contexts.a.nodes[0] is empty, not a string',
      hint: "Write every item as one string",
    },
    "a certificate that is not base64": {
      text: `${context}        crt: no-base64!\n`,
      message:
        'Cannot read "f" at line 3, column 14: contexts.a.crt is a string of 10 characters, not base64',
      hint:
        "Write the PEM text in base64 on one line, or add the context again with: osctl config add",
    },
    "a password that is a list": {
      text: `${context}        auth: {basic: {password: [x]}}\n`,
      message:
        'Cannot read "f" at line 3, column 24: contexts.a.auth.basic.password is a list, not a string',
      hint: 'Write it as password: "…"',
    },
  };

for (const [what, { text, message, hint }] of Object.entries(refused)) {
  Deno.test(`${what} is refused with its place and what would be right`, async () => {
    await assert.rejects(parseOsconfig(text, "f"), (error) => {
      assert.equal(error instanceof ConfigError, true);
      assert.equal((error as ConfigError).message, message);
      assert.equal((error as ConfigError).hint, hint);
      return true;
    });
  });
}

Deno.test("a value that is refused is shown cut and without secrets", async () => {
  const long = "x".repeat(1000);
  await assert.rejects(
    parseOsconfig(`${context}        nodes: ${long}\n`, "f"),
    ({ message }: Error) => message.includes(`"${"x".repeat(60)}…"`),
  );
  const secret = `${context}        key: hidden!hidden\n`;
  await assert.rejects(
    parseOsconfig(secret, "f"),
    ({ message }: Error) => !message.includes("hidden"),
  );
});

for (const key of proxyAuthKeys) {
  Deno.test(`the proxy identity under auth.${key} is read with its spelling`, async () => {
    const { contexts } = await parseOsconfig(
      `${context}        auth:\n            ${key}:\n                identity: me@example.org\n`,
      "f",
    );
    const auth = contexts.get("a")?.auth;
    assert.deepEqual(auth?.proxy, { key, identity: "me@example.org" });
    assert.equal(auth?.basic, undefined);
    assert.deepEqual(auth?.tree.entries.map((entry) => entry.key), [key]);
  });
}

import assert from "node:assert/strict";
import {
  changeContext,
  changeOsconfig,
  checkContextArgument,
  chosenContext,
  currentOsconfig,
  findOsconfig,
  withContext,
} from "../../../commands/_session/osconfig.ts";
import { ConfigError, UsageError } from "../../../errors.ts";

const text = `context: a
contexts:
    a:
        # first
        endpoints:
            - 10.0.0.1
    b:
        endpoints: []
`;

interface Place {
  readonly path: string;
  readonly request: (context?: string) => {
    readonly globals: {
      readonly osconfig: string;
      readonly context: string | undefined;
    };
    readonly environment: { readonly env: () => undefined };
    readonly signal: AbortSignal;
  };
}

function test(name: string, body: (place: Place) => Promise<void>): void {
  Deno.test(name, async () => {
    const dir = await Deno.makeTempDir();
    const path = `${dir}/config`;
    try {
      await body({
        path,
        request: (context) => ({
          globals: { osconfig: path, context },
          environment: { env: () => undefined },
          signal: new AbortController().signal,
        }),
      });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

test("findOsconfig takes the path given, and the environment after it", async ({ path, request }) => {
  assert.deepEqual(await findOsconfig(request()), { path, writable: true });
  const found = await findOsconfig({
    globals: { osconfig: undefined, context: undefined },
    environment: { env: (name) => name === "OSCONFIG" ? "/x/y" : undefined },
  });
  assert.deepEqual(found, { path: "/x/y", writable: true });
});

test("currentOsconfig takes a missing file for an empty one and makes none", async ({ path, request }) => {
  const { config, location } = await currentOsconfig(request());
  assert.equal(config.contexts.size, 0);
  assert.equal(location.path, path);
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

test("chosenContext takes the current context, or the one that is named", async ({ path, request }) => {
  await Deno.writeTextFile(path, text);
  assert.equal((await chosenContext(request())).name, "a");
  assert.equal((await chosenContext(request("b"))).name, "b");
  await assert.rejects(chosenContext(request("bb")), {
    message: `Cannot use context "bb": "${path}" has "a", "b"`,
    hint: 'Did you mean "b"?',
  });
});

test("chosenContext says that there is no file", async ({ path, request }) => {
  await assert.rejects(chosenContext(request()), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(
      error.message,
      `Cannot read client configuration "${path}": no such file`,
    );
    return true;
  });
});

test("changeContext changes one context and keeps comments", async ({ path, request }) => {
  await Deno.writeTextFile(path, text);
  await changeContext(
    request("b"),
    (context) => ({ ...context, nodes: ["10.0.0.9"] }),
  );
  assert.equal(
    await Deno.readTextFile(path),
    `context: a
contexts:
    a:
        # first
        endpoints:
            - 10.0.0.1
    b:
        endpoints: []
        nodes:
            - 10.0.0.9
`,
  );
  assert.equal(await Deno.readTextFile(`${path}.bak`), text);
});

test("changeOsconfig leaves no backup when told so", async ({ path, request }) => {
  await Deno.writeTextFile(path, text);
  await changeOsconfig(
    { ...request(), backup: false },
    (config) => ({ ...config, current: "b" }),
  );
  await assert.rejects(Deno.stat(`${path}.bak`), Deno.errors.NotFound);
});

Deno.test("withContext replaces a context in its place", () => {
  const [a, b] = [{ endpoints: ["1"], nodes: [] }, {
    endpoints: [],
    nodes: [],
  }];
  const config = { current: "a", contexts: new Map([["a", a], ["b", b]]) };
  const changed = withContext(config, "a", b);
  assert.deepEqual([...changed.contexts], [["a", b], ["b", b]]);
  assert.equal(config.contexts.get("a"), a);
});

Deno.test("checkContextArgument accepts the same name only, and no empty one", () => {
  checkContextArgument("a", "config add", { context: undefined });
  checkContextArgument("a", "config add", { context: "a" });
  assert.throws(
    () => checkContextArgument("a", "config add", { context: "b" }),
    new UsageError(
      'Flag --context and the argument of "config add" name different contexts: "b" and "a"',
      { hint: "Omit --context" },
    ),
  );
  assert.throws(
    () => checkContextArgument("", "config add", { context: undefined }),
    new UsageError("Argument <context> is empty"),
  );
});

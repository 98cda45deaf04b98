import assert from "node:assert/strict";
import { notices } from "../../commands/_kit/notices.ts";
import { UsageError } from "../../errors.ts";
import { release } from "../../release.ts";
import { type FakeNodes, fakeNodes } from "../_fake.ts";
import { run } from "../_run.ts";

const version = {
  tag: "v1.12.1",
  sha: "abcdef0",
  built: "2026-01-01T00:00:00Z",
  goVersion: "go1.25.1",
  os: "linux",
  arch: "amd64",
};

function answer() {
  return {
    messages: [{
      version,
      platform: { name: "metal", mode: "metal" },
      features: { rbac: true },
    }],
  };
}

const node = { version: answer };

const arch = { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch];

const facts = `\tTag:         ${release.tag}
\tSHA:         ${release.sha}
\tBuilt:       ${release.built}
\tGo version:  deno${Deno.version.deno}
\tOS/Arch:     ${Deno.build.os}/${arch}
`;

const server = (name: string) =>
  `\tNODE:        ${name}
\tTag:         v1.12.1
\tSHA:         abcdef0
\tBuilt:       2026-01-01T00:00:00Z
\tGo version:  go1.25.1
\tOS/Arch:     linux/amd64
\tEnabled:     RBAC
`;

Deno.test("version --licenses asks no node and prints only the licenses", async () => {
  const { out, err, status } = await run("version --licenses");
  assert.equal(out, notices);
  assert.deepEqual({ err, status }, { err: "", status: 0 });
  const json = await run("version --licenses -o jsonpath={.licenses}");
  assert.equal(json.out, `${notices}\n`);
});

Deno.test("version leaves the labels of what a node does not say", async () => {
  const { out } = await run("version", {
    a: { version: () => ({ messages: [{}] }) },
  });
  assert.equal(
    out.slice(out.indexOf("\tNODE")),
    "\tNODE:        a\n\tTag:         \n\tSHA:         \n\tBuilt:       \n" +
      "\tGo version:  \n\tOS/Arch:     /\n\tEnabled:     \n",
  );
});

Deno.test("version --client asks no node", async () => {
  const { out } = await run("version --client", {});
  assert.equal(out, `Client:\n${facts}`);
});

Deno.test("version --short puts the client on one line and keeps the nodes", async () => {
  assert.equal(
    (await run("version --short --client", {})).out,
    `Client:\nosctl ${release.tag}\n`,
  );
  assert.equal(
    (await run("version --short", { a: node })).out,
    `Client:\nosctl ${release.tag}\nServer:\n${server("a")}`,
  );
});

Deno.test("version of several nodes is a table, in the order of the request", async () => {
  const { out } = await run("version --short", { b: node, a: node });
  assert.equal(
    out,
    `Client:
osctl ${release.tag}
Server:
NODE   TAG       SHA       BUILT                  GO VERSION   OS/ARCH       ENABLED
b      v1.12.1   abcdef0   2026-01-01T00:00:00Z   go1.25.1     linux/amd64   RBAC
a      v1.12.1   abcdef0   2026-01-01T00:00:00Z   go1.25.1     linux/amd64   RBAC
`,
  );
});

Deno.test("version of several nodes has a column for build times if any node has one, or a program reads it", async () => {
  const unbuilt = {
    version: () => ({
      messages: [{
        ...answer().messages[0],
        version: { ...version, built: "" },
      }],
    }),
  };
  const table = async (a: FakeNodes[string], columns?: number) => {
    const nodes = { b: unbuilt, a };
    const { out } = await run("version --short", nodes, {
      ...columns && { columns },
    });
    return out.replace(/^.*Server:\n/s, "");
  };
  assert.equal(
    await table(unbuilt, 120),
    `NODE   TAG       SHA       GO VERSION   OS/ARCH       ENABLED
b      v1.12.1   abcdef0   go1.25.1     linux/amd64   RBAC
a      v1.12.1   abcdef0   go1.25.1     linux/amd64   RBAC
`,
  );
  for (const columns of [120, undefined]) {
    assert.equal(
      await table(node, columns),
      `NODE   TAG       SHA       BUILT                  GO VERSION   OS/ARCH       ENABLED
b      v1.12.1   abcdef0                          go1.25.1     linux/amd64   RBAC
a      v1.12.1   abcdef0   2026-01-01T00:00:00Z   go1.25.1     linux/amd64   RBAC
`,
    );
  }
});

Deno.test("version prints nothing before its nodes are known", async () => {
  const names = () =>
    Promise.reject(new UsageError('Unknown selector "@west"'));
  const { out, status } = await run("version --nodes @west", {}, {
    open: () => ({ ...fakeNodes({}).nodes, names }),
  });
  assert.deepEqual([out, status], ["", 2]);
});

Deno.test("version --json prints what each node answered, one line each", async () => {
  const { out } = await run("version --json", {
    a: node,
    b: { version: () => ({ messages: [{ version: { tag: "v1.8.0" } }] }) },
  });
  assert.equal(
    out,
    '{"metadata":{"hostname":"a"},"version":{"tag":"v1.12.1","sha":"abcdef0","built":"2026-01-01T00:00:00Z",' +
      '"goVersion":"go1.25.1","os":"linux","arch":"amd64"},"platform":{"name":"metal","mode":"metal"},"features":{"rbac":true}}\n' +
      '{"metadata":{"hostname":"b"},"version":{"tag":"v1.8.0"},"platform":{},"features":{}}\n',
  );
});

Deno.test("version --json is not in the help", async () => {
  const { out } = await run("version --help");
  assert.match(out, /--short/);
  assert.doesNotMatch(out, /--json/);
});

Deno.test("version -o jsonl gives the client a row without a node", async () => {
  const { out } = await run("version -o jsonl", { a: node });
  const [client, row] = out.trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(client, {
    tag: release.tag,
    sha: release.sha,
    built: release.built,
    runtime: `deno${Deno.version.deno}`,
    os: Deno.build.os,
    arch,
  });
  assert.deepEqual(row, {
    node: "a",
    tag: "v1.12.1",
    sha: "abcdef0",
    built: "2026-01-01T00:00:00Z",
    runtime: "go1.25.1",
    os: "linux",
    arch: "amd64",
    platform: "metal",
    mode: "metal",
    rbac: true,
  });
});

Deno.test("version --insecure asks the maintenance service", async () => {
  const seen: boolean[] = [];
  await run("version -i", { a: node }, {
    onOpen: ({ insecure }) => seen.push(insecure),
  });
  await run("version", { a: node }, {
    onOpen: ({ insecure }) => seen.push(insecure),
  });
  assert.deepEqual(seen, [true, false]);
});

Deno.test("version shows what a node says on one line each, in the direction it is read", async () => {
  const version = {
    tag: "v1.12.1\u202e\nhint: run this",
    sha: "a\u2066b\r\nc",
  };
  const { out } = await run("version", {
    a: { version: () => ({ messages: [{ version }] }) },
  });
  assert.match(
    out,
    /\n\tTag: {9}v1\.12\.1 hint: run this\n\tSHA: {9}ab c\n\tBuilt:/,
  );
});

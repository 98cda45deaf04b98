import assert from "node:assert/strict";
import { CancelledError, ConnectError, RpcError } from "../../errors.ts";
import { run } from "../_run.ts";
import {
  noise,
  splitChunks,
  type TarEntry,
  tarGz,
} from "../lib/archive/_tar.ts";
import { tree, withFolder } from "./_copy/_tree.ts";

/** A node that sends an archive, and then says something. */
function node(archive: Uint8Array, ...said: string[]) {
  return {
    async *copy() {
      for await (const bytes of splitChunks(archive)) yield { bytes };
      for (const error of said) yield { metadata: { error } };
    },
  };
}

async function nodeWith(entries: readonly TarEntry[], ...said: string[]) {
  return node(await tarGz(entries), ...said);
}

Deno.test("copy to - fails after the archive when the node left something out", async () => {
  const archive = await tarGz([{ name: "a" }]);
  const { bytes, err, status } = await run("copy /x -", {
    a: node(archive, 'skipping "/x/b": permission denied'),
  });
  assert.deepEqual(bytes, archive);
  assert.equal(
    err,
    `error: Cannot copy "/x" from a: a says: skipping "/x/b": permission denied\n`,
  );
  assert.equal(status, 1);
});

Deno.test("copy to - does not write to a terminal", async () => {
  const { out, err, status } = await run("copy /x -", {}, { columns: 80 });
  assert.equal(out, "");
  assert.match(err, /^error: Cannot write an archive to a terminal\nhint: /);
  assert.equal(status, 2);
});

Deno.test("copy extracts everything and fails when the node left something out", async () => {
  await withFolder(async (root) => {
    const { err, status } = await run(["cp", "/x", root], {
      a: await nodeWith(
        [{ name: "f", body: "text" }],
        'skipping "/x/g": permission denied\n',
      ),
    });
    assert.equal(
      err,
      `error: Cannot copy "/x" from a: a says: skipping "/x/g": permission denied\n`,
    );
    assert.equal(status, 1);
    assert.deepEqual(await tree(root), { f: "0644 text" });
  });
});

Deno.test("copy names what it refuses and extracts the rest", async () => {
  await withFolder(async (root) => {
    const { err, status } = await run(["copy", "/x", root], {
      a: await nodeWith([
        { name: "../evil", body: "x" },
        { name: "bad\x1b[2J\nname", flag: "6" },
        { name: "f", body: "text" },
      ]),
    });
    assert.equal(
      err,
      `error: Cannot copy "/x" from a: 2 of the entries were skipped
  "../evil" leaves the folder through '..'
  "bad\\u001b[2J\\nname" is a named pipe
`,
    );
    assert.equal(status, 1);
    assert.deepEqual(await tree(root), { f: "0644 text" });
  });
});

Deno.test("copy names a hundred refused entries at most", async () => {
  await withFolder(async (root) => {
    const entries = Array.from({ length: 103 }, (_, i) => ({
      name: `fifo${i}`,
      flag: "6" as const,
    }));
    const { err } = await run(["copy", "/x", root], {
      a: await nodeWith(entries),
    });
    const lines = err.split("\n");
    assert.equal(lines.length, 103);
    assert.equal(lines[101], "  and 3 more");
  });
});

Deno.test("copy fails when the archive is truncated, and keeps what is whole", async () => {
  await withFolder(async (root) => {
    const archive = await tarGz([
      { name: "a", body: "alpha" },
      { name: "b", body: noise(300_000) },
    ]);
    const { err, status } = await run(["copy", "/x", root], {
      a: node(archive.slice(0, 200_000), "tar: missed writing 5 bytes"),
    });
    assert.equal(
      err,
      `error: Cannot copy "/x" from a: The archive is truncated or damaged
a says: tar: missed writing 5 bytes
`,
    );
    assert.equal(status, 1);
    assert.deepEqual(await tree(root), { a: "0644 alpha" });
  });
});

Deno.test("copy makes nothing when the node refuses", async () => {
  await withFolder(async (root) => {
    const said = await run(["copy", "/x/y", `${root}/t`], {
      a: node(new Uint8Array(), "lstat /x/y: no such file or directory"),
    });
    assert.equal(
      said.err,
      `error: Cannot copy "/x/y" from a: lstat /x/y: no such file or directory
hint: List files with "osctl list /x"
`,
    );
    const denied = await run(["copy", "/x/y", `${root}/t`], {
      a: {
        // deno-lint-ignore require-yield
        async *copy() {
          await Promise.resolve();
          throw new RpcError("PERMISSION_DENIED", "not authorized");
        },
      },
    });
    assert.equal(
      denied.err,
      `error: Cannot copy "/x/y" from a: not authorized\n`,
    );
    assert.deepEqual([said.status, denied.status], [1, 1]);
    assert.deepEqual(await tree(root), {});
  });
});

Deno.test("copy leaves no half file when the connection is lost", async () => {
  await withFolder(async (root) => {
    const archive = await tarGz([{ name: "b", body: noise(300_000) }]);
    const { err, status } = await run(["copy", "/x", root], {
      a: {
        async *copy() {
          yield* node(archive.slice(0, 200_000)).copy();
          throw new ConnectError("reset", "Connection was lost", {
            hint: "Try again",
          });
        },
      },
    });
    assert.equal(err, "error: Connection was lost\nhint: Try again\n");
    assert.equal(status, 1);
    assert.deepEqual(await tree(root), {});
  });
});

Deno.test("copy that is interrupted ends with 130 and leaves no half file", async () => {
  await withFolder(async (root) => {
    const archive = await tarGz([{ name: "b", body: noise(300_000) }]);
    const interrupt = new AbortController();
    const { err, status } = await run(["copy", "/x", root], {
      a: {
        async *copy() {
          yield* node(archive.slice(0, 200_000)).copy();
          interrupt.abort(new CancelledError());
          yield { bytes: archive.slice(200_000) };
        },
      },
    }, { signal: interrupt.signal });
    assert.equal(err, "");
    assert.equal(status, 130);
    assert.deepEqual(await tree(root), {});
  });
});

Deno.test("copy refuses a target that is a file before it asks the node", async () => {
  await withFolder(async (root) => {
    await Deno.writeTextFile(`${root}/file`, "");
    const { err, status } = await run(["copy", "/x", `${root}/file`], {
      a: {},
    });
    assert.match(
      err,
      /^error: Target ".*\/file" is not a directory\nhint: Name a directory/,
    );
    assert.equal(status, 2);
  });
});

Deno.test("copy refuses more than was said, names what to type, and is zero half", async () => {
  await withFolder(async (root) => {
    const nodes = {
      a: await nodeWith([
        { name: "a", body: "x" },
        { name: "b", body: noise(1_000_000) },
      ]),
    };
    const line = ["copy", "/x", `${root}/to`, "--max-size", "500kB"];
    const { err, status } = await run(line, nodes);
    assert.equal(
      err,
      'error: Cannot copy "/x" from a: it expands to more than 500000 bytes\n' +
        "hint: Allow more with --max-size, such as --max-size 20GiB\n",
    );
    assert.equal(status, 5);
    for (const name of Object.keys(await tree(root))) {
      assert.doesNotMatch(name, /partial/);
    }
    const wrong = await run([...line.slice(0, 4), "much"]);
    assert.equal(
      wrong.err.split("\n")[0],
      'error: Invalid value "much" for --max-size: must be a size such as 20GiB',
    );
  });
});

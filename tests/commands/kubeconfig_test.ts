import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import type { FakeNode } from "../_fake.ts";
import { withFolder } from "../_folder.ts";
import { parseKubeconfig } from "../../config/kubeconfig/content.ts";
import { run, type RunOptions } from "../_run.ts";
import {
  type Given,
  nodeKubeconfig,
} from "../config/kubeconfig/_kubeconfig.ts";

import { gzip, tarEntry } from "../lib/archive/_tar.ts";

/** The archive as nodes write it: the last block is not filled, and no mark is at the end. */
function archive(text: string): Promise<Uint8Array> {
  const entry = tarEntry({ name: "kubeconfig", body: text });
  return gzip(entry.subarray(0, 512 + new TextEncoder().encode(text).length));
}

/** A control plane; its archive has no end mark, and comes in pieces of that size. */
function giving(given: Given = {}, piece = 100): FakeNode {
  return {
    async *kubeconfig() {
      const bytes = await archive(nodeKubeconfig(given));
      for (let at = 0; at < bytes.length; at += piece) {
        yield { bytes: bytes.subarray(at, at + piece) };
      }
    },
  };
}

const mine = `apiVersion: v1
clusters:
- cluster:
    server: https://mine # by hand
  name: mine
contexts: []
current-context: ""
kind: Config
users: []
`;

/** Runs a line in which `~` stands for a folder that holds a kubeconfig called `mine`. */
async function ran(
  line: string,
  nodes: Record<string, FakeNode>,
  options: RunOptions = {},
) {
  const seen: { out: string; err: string; status: number }[] = [];
  const files = new Map<string, string>();
  await withFolder(options.files ?? { mine }, async (folder) => {
    const { out, err, status } = await run(
      line.replaceAll("~", folder),
      nodes,
      { ...options, env: { HOME: folder } },
    );
    const plain = (text: string) => text.replaceAll(folder, "~");
    seen.push({ out: plain(out), err: plain(err), status });
    for await (const path of walk(folder)) {
      const text = await Deno.readTextFile(`${folder}/${path}`);
      files.set(path, text);
    }
  });
  const [ended] = seen;
  assert.ok(ended);
  return { ...ended, files };
}

async function* walk(folder: string, below = ""): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(`${folder}/${below}`)
  ) {
    if (isDirectory) yield* walk(folder, `${below}${name}/`);
    else yield `${below}${name}`;
  }
}

Deno.test("kubeconfig makes the usual file when there is none", async () => {
  const { out, err, status, files } = await ran("kubeconfig -n a", {
    a: giving(),
  });
  assert.equal(out, 'context "admin@c" is in "~/.kube/config"\n');
  assert.equal(err, "");
  assert.equal(status, 0);
  assert.equal(files.get(".kube/config"), nodeKubeconfig());
});

Deno.test("kubeconfig of several clusters at once makes one file with all of them", async () => {
  const names = ["east", "north", "south", "west"];
  await withFolder({}, async (folder) => {
    const all = await Promise.all(
      names.map((name) =>
        run("kubeconfig -n a", { a: giving({ cluster: name, ca: name }) }, {
          env: { HOME: folder },
        })
      ),
    );
    assert.deepEqual(
      all.map(({ status, err }) => [status, err]),
      names.map(() => [0, ""]),
    );
    const { context } = parseKubeconfig(
      await Deno.readTextFile(`${folder}/.kube/config`),
      "config",
    );
    assert.deepEqual(
      [...context.keys()].toSorted(),
      names.map((name) => `admin@${name}`),
    );
  });
});

Deno.test("kubeconfig takes no program to run from a node, and leaves the file as it was", async () => {
  const { out, err, status, files } = await ran("kubeconfig ~/mine -n a", {
    a: {
      async *kubeconfig() {
        const text = nodeKubeconfig().replace(
          "    client-key-data:",
          "    exec: {command: /tmp/x}\n    client-key-data:",
        );
        yield { bytes: await archive(text) };
      },
    },
  });
  assert.equal(out, "");
  assert.equal(
    err,
    `error: Refused the kubeconfig of a: user "admin@c" has "exec"
hint: A kubeconfig from a node has only addresses, certificates and keys: find out who changed it
`,
  );
  assert.equal(status, 5);
  assert.deepEqual([...files], [["mine", mine]]);
});

Deno.test("kubeconfig merges into a file, and keeps what was there beside it", async () => {
  const { out, files } = await ran("kubeconfig ~/mine -n a", { a: giving() });
  assert.equal(
    out,
    `added cluster "c"
added auth info "admin@c"
added context "admin@c"
context "admin@c" is in "~/mine"
`,
  );
  const text = files.get("mine") ?? "";
  assert.match(text, /server: https:\/\/mine # by hand/);
  assert.match(text, /^current-context: admin@c$/m);
  assert.equal(files.get("mine.bak"), mine);
});

Deno.test("kubeconfig writes nothing when everything already exists", async () => {
  const { out, files } = await ran("kubeconfig ~/mine -n a", { a: giving() }, {
    files: { mine: nodeKubeconfig() },
  });
  assert.equal(out, 'context "admin@c" is in "~/mine" already\n');
  assert.deepEqual([...files.keys()], ["mine"]);
});

Deno.test("kubeconfig renames what another cluster has the name of, or overwrites it by force", async () => {
  const files = { mine: nodeKubeconfig({ ca: "other" }) };
  const renamed = await ran("kubeconfig ~/mine -n a", { a: giving() }, {
    files,
  });
  assert.equal(
    renamed.out,
    `renamed cluster "c" -> "c-1"
added auth info "admin@c-1"
added context "admin@c-1"
context "admin@c-1" is in "~/mine"
`,
  );
  const forced = await ran("kubeconfig ~/mine -f -n a", { a: giving() }, {
    files,
  });
  assert.equal(
    forced.out,
    `overwritten cluster "c"
context "admin@c" is in "~/mine"
`,
  );
  assert.equal(forced.files.get("mine"), nodeKubeconfig());
});

Deno.test("kubeconfig asks at a terminal, once for each name", async () => {
  const { out, err, files } = await ran("kubeconfig ~/mine -n a", {
    a: giving(),
  }, {
    files: { mine: nodeKubeconfig({ ca: "other" }) },
    columns: 80,
    stdin: "what\no\n",
    typed: true,
  });
  assert.equal(
    err,
    'cluster "c" already exists (rename/overwrite): '.repeat(2),
  );
  assert.match(out, /^overwritten cluster "c"$/m);
  assert.equal(files.get("mine"), nodeKubeconfig());
});

Deno.test("kubeconfig - goes to standard output, however the archive is cut", async () => {
  for (const piece of [1, 7, 100, 1_000_000]) {
    const { out, files } = await ran("kubeconfig - --merge=false -n a", {
      a: giving({}, piece),
    });
    assert.equal(out, nodeKubeconfig());
    assert.deepEqual([...files.keys()], ["mine"]);
  }
});

Deno.test("kubeconfig --merge=false replaces a file by force alone, and asks no node before", async () => {
  const refused = await ran("kubeconfig ~/mine --merge=false -n a", { a: {} });
  assert.equal(
    refused.err,
    `error: Kubeconfig "~/mine" already exists
hint: Use --force to overwrite it, or --merge to keep its contents
`,
  );
  assert.equal(refused.status, 2);
  const { files, status } = await ran("kubeconfig ~/mine -m=false -f -n a", {
    a: giving(),
  });
  assert.equal(status, 0);
  assert.equal(files.get("mine"), nodeKubeconfig());
  assert.equal(files.get("mine.bak"), mine);
});

Deno.test("kubeconfig leaves the file alone when the node refuses or sends nonsense", async () => {
  const no = {
    // deno-lint-ignore require-yield
    async *kubeconfig() {
      throw await Promise.resolve(new RpcError("UNIMPLEMENTED", "a worker"));
    },
  };
  const refused = await ran("kubeconfig ~/mine -n a", { a: no });
  assert.deepEqual([refused.err, refused.status], ["error: a worker\n", 1]);
  assert.equal(refused.files.get("mine"), mine);
  const cut = await ran("kubeconfig ~/mine -n a", {
    a: {
      async *kubeconfig() {
        const bytes = await archive(nodeKubeconfig());
        yield { bytes: bytes.subarray(0, 200) };
      },
    },
  });
  assert.equal(cut.status, 1);
  assert.equal(cut.files.get("mine"), mine);
});

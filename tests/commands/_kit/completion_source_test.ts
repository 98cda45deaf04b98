import assert from "node:assert/strict";
import {
  type Candidate,
  complete,
  type Question,
} from "../../../commands/_kit/completion.ts";
import { candidates } from "../../../commands/_kit/completion_source.ts";
import { globals } from "../../../commands/_kit/globals.ts";
import { text, toggle } from "../../../commands/_kit/inputs.ts";
import type { Program, SessionRequest } from "../../../commands/_kit/main.ts";
import { listFlags, sortWords } from "../../../commands/_kit/parse.ts";
import { realEnvironment } from "../../../terminal/environment.ts";
import { type FakeNodes, fakeNodes } from "../../_fake.ts";
import { withFolder } from "../../_folder.ts";
import { makeRun } from "../../workflows/runbooks/store/_runs.ts";
import { runWith } from "./_session.ts";
import { withWire } from "../../_wire.ts";
import { lists } from "../_resources.ts";

/** Flags of a command beside the global ones. */
const ofCommand = {
  kubernetes: toggle("k", { short: "k" }),
  namespace: text("n"),
  insecure: toggle("i", { short: "i" }),
};

/** A program with fake nodes, and what became of the sessions it opened. */
function makeProgram(handlers: FakeNodes) {
  const asked: SessionRequest[] = [];
  let open = 0;
  const program: Program = {
    entries: [],
    environment: { ...realEnvironment(), env: () => undefined },
    open(request) {
      asked.push(request);
      open++;
      const chosen = request.globals.nodes.length === 0
        ? handlers
        : Object.fromEntries(
          Object.entries(handlers).filter(([name]) =>
            request.globals.nodes.includes(name)
          ),
        );
      return {
        ...fakeNodes(chosen, request.signal).nodes,
        close: () => open--,
      };
    },
    readFile: () => Promise.resolve(""),
    complete,
    signal: new AbortController().signal,
  };
  return { program, asked, open: () => open };
}

/** A question about a word after those of a line. */
function question(
  kind: Question["kind"],
  { line = "", partial = "" } = {},
): Question {
  const words = line.split(" ").filter((word) => word !== "");
  const sorted = sortWords(words, listFlags(globals, ofCommand));
  return { kind, partial, words: sorted.words, sorted };
}

/** Answers of nodes to one question. */
async function listCandidates(
  handlers: FakeNodes,
  kind: Question["kind"],
  typed: { line?: string; partial?: string } = {},
): Promise<readonly Candidate[]> {
  const { program, open } = makeProgram(handlers);
  const found = await candidates(program, question(kind, typed));
  assert.equal(open(), 0, "every session is closed");
  return found;
}

const services = {
  serviceList: () => ({
    messages: [{
      services: [{ id: "kubelet", state: "Running" }, {
        id: "etcd",
        state: "Finished",
      }],
    }],
  }),
};

Deno.test("logs are those the node has, and those of services, once", async () => {
  const node = {
    ...services,
    logsContainers: () => ({ messages: [{ ids: ["machined", "etcd"] }] }),
  };
  assert.deepEqual(await listCandidates({ a: node, b: {} }, "logs"), [
    { word: "etcd", about: "Finished" },
    { word: "kubelet", about: "Running" },
    { word: "machined" },
  ]);
});

Deno.test("logs of Kubernetes are those of its containers, not of pods", async () => {
  const node = {
    containers({ namespace, driver }: { namespace: string; driver: number }) {
      assert.deepEqual([namespace, driver], ["k8s.io", 1]);
      return {
        messages: [{
          containers: [
            { id: "ns/pod", podId: "ns/pod", image: "pause" },
            { id: "ns/pod:web:1", podId: "ns/pod", image: "web:v1" },
          ],
        }],
      };
    },
  };
  assert.deepEqual(await listCandidates({ a: node }, "logs", { line: "-k" }), [
    { word: "ns/pod:web:1", about: "web:v1" },
  ]);
});

Deno.test("a type of resources is completed in one spelling, which begins with what is typed", async () => {
  const node = { list: lists() };
  const words = async (partial: string) =>
    (await listCandidates({ a: node }, "resources", { partial })).slice(0, 2);
  const short = [
    { word: "links", about: "Link" },
    { word: "labels", about: "Label" },
  ];
  assert.deepEqual(await words(""), short);
  assert.deepEqual(await words("l"), short);
  const [full] = await words("links.net");
  assert.deepEqual(full, { word: "links.net.talos.dev", about: "Link" });
});

Deno.test("paths are those of the folder that is being typed; folders end in a slash", async () => {
  const node = {
    async *list({ root, recursionDepth }: {
      root: string;
      recursionDepth: number;
    }) {
      assert.deepEqual([root, recursionDepth], ["/etc/", 1]);
      yield { relativeName: ".", isDir: true };
      yield { relativeName: "ssl", isDir: true };
      yield { relativeName: "hosts" };
      yield { relativeName: "secret", error: "permission denied" };
    },
  };
  assert.deepEqual(
    await listCandidates({ a: node }, "paths", { partial: "/etc/h" }),
    [{ word: "/etc/ssl/" }, { word: "/etc/hosts" }],
  );
});

Deno.test("paths are 500 at most, and start at the root", async () => {
  const node = {
    async *list({ root }: { root: string }) {
      assert.equal(root, "/");
      for (let i = 0;; i++) yield { relativeName: `f${i}` };
    },
  };
  const found = await listCandidates({ a: node }, "paths");
  assert.equal(found.length, 500);
  assert.deepEqual(found[0], { word: "/f0" });
});

Deno.test("a shell does not wait for a node that does not answer", async () => {
  let stopped = false;
  const node = {
    serviceList: (_: unknown, signal?: AbortSignal) =>
      new Promise((_, reject) =>
        signal?.addEventListener("abort", () => {
          stopped = true;
          reject(signal.reason);
        })
      ),
  };
  const { program } = makeProgram({ a: node });
  assert.deepEqual(await candidates(program, question("services"), 10), []);
  assert.equal(stopped, true);
});

Deno.test("contexts are those of the client configuration; no file offers none", async () => {
  const { out } = await runWith(["__complete", "memory", "--context", ""], {});
  assert.equal(out, "lab\nother\n");
  const line = ["__complete", "--osconfig", "/nowhere/x", "--context", "l"];
  assert.equal((await runWith(line, {})).out, "");
});

Deno.test("runs are those of this machine, and no node is requested them", () =>
  withFolder({}, async (home) => {
    await makeRun(`${home}/runs`);
    const { program } = makeProgram({});
    const env = (name: string) => name === "OS_HOME" ? home : undefined;
    const there = { ...program, environment: { ...program.environment, env } };
    assert.deepEqual(await candidates(there, question("runs")), [{
      word: "20261120-7k2f",
      about: "demo on prod, 2026-11-20T19:30:00.000Z",
    }]);
  }));

Deno.test("completion asks a real cluster through its endpoint", async () => {
  await withWire({ controlplanes: 1, workers: 1 }, async ({ osctl }) => {
    const { out } = await osctl(["__complete", "memory", "-n", "10.5.0.3,s"]);
    assert.equal(
      out,
      "10.5.0.3,simulated-controlplane-1\t10.5.0.2\n10.5.0.3,simulated-worker-1\t10.5.0.3\n",
    );
    const ids = await osctl(["__complete", "get", "members", ""]);
    assert.equal(ids.out, "simulated-controlplane-1\nsimulated-worker-1\n");
  });
});

Deno.test("runbooks are the builtin ones, and files of that kind in the folder that is being typed", async () => {
  const files = {
    "a.runbook.yaml": "",
    "b.runbook.ts": "",
    "c.yaml": "",
    "sub/d.yml": "",
  };
  await withFolder(files, async (folder) => {
    const { program } = makeProgram({});
    const words = async (kind: Question["kind"], partial: string) =>
      (await candidates(program, question(kind, { partial })))
        .map(({ word }) => word.replace(`${folder}/`, ""));
    assert.deepEqual(await words("runbooks", `${folder}/`), [
      "a.runbook.yaml",
      "b.runbook.ts",
      "sub/",
    ]);
    assert.deepEqual(await words("yaml", `${folder}/`), [
      "a.runbook.yaml",
      "c.yaml",
      "sub/",
    ]);
    assert.deepEqual(await words("yaml", `${folder}/sub/`), ["sub/d.yml"]);
    const builtin = await words("runbooks", "b");
    assert.ok(builtin.includes("builtin:rolling-upgrade"));
  });
});

Deno.test("topics are kinds, fields and safety rules, then the fields of a path", async () => {
  const { program } = makeProgram({});
  const words = async (partial: string) =>
    (await candidates(program, question("topics", { partial })))
      .map(({ word }) => word);
  const all = await words("");
  for (const word of ["LinkConfig", "machine", "S8"]) {
    assert.ok(all.includes(word), word);
  }
  assert.ok((await words("machine.ne")).includes("machine.network"));
  assert.deepEqual(await words("nothing.ne"), []);
});

import assert from "node:assert/strict";
import type { AnyCommand, IndexEntry } from "../../../commands/_kit/command.ts";
import {
  type Candidate,
  candidatesFor,
  complete,
  type Question,
} from "../../../commands/_kit/completion.ts";
import {
  choice,
  restArgument,
  strings,
  text,
  toggle,
  word,
} from "../../../commands/_kit/inputs.ts";
import type { Program } from "../../../commands/_kit/main.ts";
import { table } from "../../../terminal/view.ts";
import { fakeNodes } from "../../_fake.ts";

const logs: AnyCommand = {
  summary: "Print logs",
  inputs: {
    follow: toggle("follow", { short: "f" }),
    secret: toggle("hidden", { hidden: true }),
    mode: choice("mode", ["fast", "full"], { initial: "fast" }),
    file: text("file", { complete: "files" }),
    wipe: strings("labels", { complete: "services" }),
    id: word("service", { complete: "services" }),
    more: restArgument("folders", { complete: "directories" }),
  },
  view: table({}),
  async *run() {},
};

function entry(name: string, fields: Partial<IndexEntry> = {}): IndexEntry {
  return {
    name,
    summary: `About ${name}`,
    aliases: [],
    section: "node",
    hidden: false,
    group: false,
    ...(fields.group ? {} : { load: () => Promise.resolve({ command: logs }) }),
    ...fields,
  };
}

const program: Program = {
  entries: [
    entry("etcd", { group: true }),
    entry("etcd members"),
    entry("logs", { aliases: ["l"] }),
    entry("list"),
    entry("ghost", { hidden: true }),
  ],
  environment: {
    stdout: sink(),
    stderr: sink(),
    stdin: { terminal: false, readable: new Blob().stream() },
    env: () => undefined,
    now: () => new Date(0),
    os: "linux",
  },
  open: () => fakeNodes({}).nodes,
  readFile: () => Promise.resolve(""),
  complete,
  signal: new AbortController().signal,
};

function sink() {
  return {
    terminal: false,
    columns: () => undefined,
    write: () => Promise.resolve(),
  };
}

async function listCandidates(...argv: string[]): Promise<string[] | string> {
  const found = await candidatesFor(program, argv, answer);
  return typeof found === "string" ? found : found.map(({ word }) => word);
}

function answer(_: Program, { kind }: Question): Promise<Candidate[]> {
  return Promise.resolve([
    { word: `${kind}-a` },
    { word: `${kind}-b` },
  ]);
}

Deno.test("completion offers flags that are not hidden", async () => {
  assert.deepEqual(await listCandidates("logs", "--fo"), ["--follow"]);
  assert.deepEqual(await listCandidates("logs", "--f"), [
    "--follow",
    "--file",
    "--field-selector",
  ]);
  assert.deepEqual(await listCandidates("logs", "--sec"), []);
  assert.deepEqual(await listCandidates("--cont"), ["--context"]);
});

Deno.test("completion offers values of flags in every form", async () => {
  assert.deepEqual(await listCandidates("logs", "--mode", ""), [
    "fast",
    "full",
  ]);
  assert.deepEqual(await listCandidates("logs", "--mode=fu"), ["--mode=full"]);
  assert.deepEqual(await listCandidates("logs", "-o", "j"), [
    "json",
    "jsonl",
    "jsonpath=",
  ]);
  assert.deepEqual(await listCandidates("logs", "--wipe", "x,services-b"), [
    "x,services-b",
  ]);
  assert.deepEqual(await listCandidates("-n", ""), ["nodes-a", "nodes-b"]);
  assert.deepEqual(await listCandidates("logs", "--context", "c"), [
    "contexts-a",
    "contexts-b",
  ]);
  assert.deepEqual(await listCandidates("logs", "--follow=t"), [
    "--follow=true",
  ]);
});

Deno.test("completion leaves files and folders to the shell", async () => {
  assert.equal(await listCandidates("logs", "--file", "x"), "files");
  assert.equal(await listCandidates("logs", "kubelet", ""), "directories");
});

Deno.test("completion offers arguments after flags and aliases", async () => {
  assert.deepEqual(await listCandidates("logs", ""), [
    "services-a",
    "services-b",
  ]);
  assert.deepEqual(await listCandidates("l", "-f", "services-b"), [
    "services-b",
  ]);
  assert.deepEqual(await listCandidates("logs", "--", "services-a"), [
    "services-a",
  ]);
  assert.deepEqual(await listCandidates("logs", "--xyzzy", "services-a"), [
    "services-a",
  ]);
});

Deno.test("complete writes words with their meaning", async () => {
  assert.equal(await complete(program, ["lo"]), "logs\tAbout logs\n");
  assert.equal(await complete(program, ["logs", "--file", ""]), ":files\n");
  assert.equal(
    await complete(program, ["logs", "-o", "jsonp"]),
    ":nospace\njsonpath=\n",
  );
  assert.equal(await complete(program, ["nothing", "at", "all"]), "");
});

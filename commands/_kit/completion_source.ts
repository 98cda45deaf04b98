/** Candidates from the environment: contexts, nodes, resources, services, logs, paths, runbooks, and files by kind. */

import { locateOsconfig, locateRuns } from "../../config/osconfig/location.ts";
import { readOsconfig } from "../../config/osconfig/osconfig_file.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { knownMembers } from "../../transport/node/members.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import {
  resourceTypes,
  typesNamed,
} from "../../transport/node/resource_types.ts";
import { safetyRules } from "../../workflows/operations/safety_rules.ts";
import { builtinNames } from "../../workflows/runbooks/builtin/builtin_runbooks.ts";
import { builtinPrefix } from "../../workflows/runbooks/language/loading/include.ts";
import { listHeaders } from "../../workflows/runbooks/store/run_header.ts";
import type { Candidate, Question } from "./completion.ts";
import { exists } from "../../lib/files/exists.ts";
import { type Globals, globals } from "./globals.ts";
import type { Completer } from "./inputs.ts";
import type { Program } from "./main.ts";
import { nodeWords } from "./node_words.ts";
import { parseValues } from "./parse.ts";

const mostEntries = 500;

interface Asked {
  readonly question: Question;
  /** A client of the first selected node. */
  readonly node: () => Promise<NodeClient>;
  readonly endpoint: () => Promise<NodeClient>;
}

/**
 * Finds candidates in the environment.
 *
 * @param patienceMs Timeout, in milliseconds.
 * @returns Candidates, matching or not; none when anything fails or takes too long.
 */
export async function candidates(
  program: Program,
  question: Question,
  patienceMs = 2_000,
): Promise<readonly Candidate[]> {
  const stop = new AbortController();
  const late = Promise.withResolvers<readonly Candidate[]>();
  const timer = setTimeout(() => {
    late.resolve([]);
    stop.abort();
  }, patienceMs);
  try {
    return await Promise.race([
      late.promise,
      answer(program, question, stop.signal),
    ]);
  } catch {
    // An error message would garble the line being typed.
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function answer(
  program: Program,
  question: Question,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  // Its keys are those of `Globals`.
  const shared = await parseValues(
    globals,
    { flags: question.sorted.flags, words: [] },
    program.readFile,
  ) as unknown as Globals;
  if (question.kind === "contexts") return await contexts(program, shared);
  if (question.kind === "runs") return await runs(program);
  if (question.kind === "commands") return commands(program);
  if (question.kind === "names") return await names(program);
  const local = localSources[question.kind];
  if (local !== undefined) return await local(question.partial);
  const opened: Nodes[] = [];
  function open(globals: Globals): Nodes {
    const nodes = program.open({
      globals,
      insecure: findFlag(question, "insecure") === "true",
      fingerprints: [],
      environment: program.environment,
      signal,
      note: () => {},
    });
    opened.push(nodes);
    return nodes;
  }
  const nodes = open(shared);
  let client: Promise<NodeClient> | undefined;
  async function first(): Promise<NodeClient> {
    const [name = "", ...others] = await nodes.names();
    const one = others.length === 0
      ? nodes
      : open({ ...shared, nodes: [name] });
    return await one.only("completion");
  }
  try {
    return await sources[question.kind]?.({
      question,
      endpoint: () => nodes.endpoint(),
      node: () => client ??= first(),
    }) ?? [];
  } finally {
    opened.forEach((nodes) => nodes.close());
  }
}

/** Text of the last occurrence of a flag. */
function findFlag({ sorted }: Question, key: string): string | undefined {
  return sorted.flags.findLast(({ named }) => named.key === key)?.value;
}

function commands({ entries }: Program): readonly Candidate[] {
  return entries.filter(({ name, hidden }) => !hidden && !name.includes(" "))
    .map(({ name, summary }) => ({ word: name, about: summary }));
}

/** Candidates from this machine alone. */
const localSources: Readonly<
  Partial<
    Record<Completer, (partial: string) => Promise<readonly Candidate[]>>
  >
> = {
  runbooks: async (partial) => [
    ...partial.includes("/") ? [] : builtinNames.map((name) => ({
      word: `${builtinPrefix}${name}`,
    })),
    ...await listFiles(partial, /\.runbook\.(ya?ml|ts)$/),
  ],
  yaml: (partial) => listFiles(partial, /\.ya?ml$/),
  topics,
};

/** Files of one kind in the directory being typed, and its subdirectories. */
async function listFiles(
  partial: string,
  kind: RegExp,
): Promise<readonly Candidate[]> {
  const folder = partial.slice(0, partial.lastIndexOf("/") + 1);
  const found: Candidate[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder || ".")) {
    const isHidden = name.startsWith(".");
    if (isDirectory && !isHidden) found.push({ word: `${folder}${name}/` });
    else if (kind.test(name)) found.push({ word: `${folder}${name}` });
  }
  return found.sort((a, b) => a.word < b.word ? -1 : 1);
}

async function names({ entries }: Program): Promise<readonly Candidate[]> {
  // Large, and used by one command.
  const { referenceEntries } = await import("./runbook_reference.ts");
  return (await referenceEntries(entries))
    .map(({ name, summary }) => ({ word: name, about: summary }));
}

/** Fields of the path being typed, document kinds and safety rules. */
async function topics(partial: string): Promise<readonly Candidate[]> {
  // Large, and used by one command.
  const [{ documentKinds }, { explainTopic }, { siteTopic }] = await Promise
    .all([
      import("../../config/documents/kinds.ts"),
      import("../../workflows/runbooks/language/explain_file.ts"),
      import("../../workflows/site/site_keys.ts"),
    ]);
  const at = partial.lastIndexOf(".") + 1;
  if (at > 0) {
    const { fields } = explainTopic(partial.slice(0, at - 1), [siteTopic]);
    return fields.map(({ name, summary }) => ({
      word: `${partial.slice(0, at)}${name}`,
      about: summary,
    }));
  }
  return [
    ...[...documentKinds.values()].map(({ kind, summary }) => ({
      word: kind,
      about: summary,
    })),
    ...Object.entries(documentKinds.get("v1alpha1")?.fields ?? {}).map((
      [word, { summary }],
    ) => ({ word, about: summary })),
    { word: siteTopic.topic, about: siteTopic.summary },
    ...safetyRules.map(({ code, summary }) => ({ word: code, about: summary })),
  ];
}

type NodeCompleter = Exclude<
  Completer,
  | "contexts"
  | "runs"
  | "runbooks"
  | "yaml"
  | "topics"
  | "commands"
  | "names"
  | "files"
  | "directories"
>;

const sources: Readonly<
  Record<string, (asked: Asked) => Promise<readonly Candidate[]>>
> = {
  nodes,
  resources,
  ids,
  services: onNode("services"),
  logs: onNode("logs"),
  containers: onNode("containers"),
  paths,
} satisfies Record<NodeCompleter, unknown>;

function onNode(kind: keyof typeof nodeWords) {
  return async ({ node, question }: Asked) =>
    await nodeWords[kind](
      await node(),
      findFlag(question, "kubernetes") === "true",
    );
}

async function contexts(
  { environment }: Program,
  { osconfig }: Globals,
): Promise<readonly Candidate[]> {
  const { path } = await locateOsconfig(osconfig, {
    env: environment.env,
    exists,
  });
  const config = await readOsconfig(path);
  return [...config?.contexts.keys() ?? []].map((word) => ({ word }));
}

async function runs({ environment }: Program): Promise<readonly Candidate[]> {
  const headers = await listHeaders(locateRuns(environment.env));
  return headers.map(({ id, runbook, cluster, at }) => ({
    word: id,
    about: `${runbook} on ${cluster.name}, ${at}`,
  }));
}

async function nodes({ endpoint }: Asked): Promise<readonly Candidate[]> {
  const selectors = ["@all", "@controlplane", "@workers"];
  const members = await knownMembers(await endpoint());
  return [
    ...members.flatMap(({ address, hostname }) => [
      { word: address, about: hostname },
      { word: hostname, about: address },
    ]),
    ...selectors.map((word) => ({ word })),
  ];
}

async function resources(
  { node, question }: Asked,
): Promise<readonly Candidate[]> {
  const types = await resourceTypes(await node());
  return types.map(({ id, displayType, allAliases }) => ({
    word: chooseSpelling(id, allAliases, question.partial.toLowerCase()),
    about: displayType,
  }));
}

/** One spelling of a type: the name without its domain, unless only another one begins with what is typed. */
function chooseSpelling(
  id: string,
  aliases: readonly string[],
  partial: string,
): string {
  const [short = id] = id.split(".");
  return [short, ...aliases, id].find((word) => word.startsWith(partial)) ??
    id;
}

async function ids({ node, question }: Asked): Promise<readonly Candidate[]> {
  const client = await node();
  const [word = ""] = question.sorted.words;
  const [type] = typesNamed(await resourceTypes(client), word);
  if (type === undefined) return [];
  const found: Candidate[] = [];
  const listed = client.state.list({
    namespace: findFlag(question, "namespace") || type.defaultNamespace,
    type: type.type,
  });
  for await (const { resource } of listed) {
    found.push({ word: resource?.metadata?.id ?? "" });
  }
  return found;
}

async function paths({ node, question }: Asked): Promise<readonly Candidate[]> {
  const folder =
    question.partial.slice(0, question.partial.lastIndexOf("/") + 1) ||
    "/";
  const found: Candidate[] = [];
  const listed = (await node()).machine.list({
    root: folder,
    recursionDepth: 1,
  });
  for await (const { relativeName, isDir, error } of listed) {
    if (relativeName === "." || error !== "") continue;
    found.push({ word: `${folder}${relativeName}${isDir ? "/" : ""}` });
    if (found.length >= mostEntries) break;
  }
  return found;
}

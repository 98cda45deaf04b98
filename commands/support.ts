import { locateOperations, locateRuns } from "../config/osconfig/location.ts";
import { exists } from "../lib/files/exists.ts";
import {
  exitStatus,
  OutcomeError,
  RefusedError,
  UsageError,
} from "../errors.ts";
import { release } from "../release.ts";
import { confirm, prompter } from "../terminal/prompt.ts";
import { clientRows, contextRows } from "./_doctor/check_context.ts";
import { makeClock } from "../workflows/operations/run_on_nodes.ts";
import {
  type ClusterView,
  viewCluster,
} from "../workflows/operations/cluster_view.ts";
import { listJournals } from "../workflows/operations/journal_file.ts";
import { surveyHeaders } from "../workflows/runbooks/store/run_header.ts";
import { collectSupport } from "../workflows/support/collect_support.ts";
import { readSummary, summaryPath } from "../workflows/support/read_summary.ts";
import {
  type SummaryRow,
  supportSummary,
} from "../workflows/support/support_summary.ts";
import {
  fileContent,
  type ItemList,
  jsonText,
  type MissingItem,
  textContent,
} from "../workflows/support/support_item.ts";
import {
  bytes,
  type Command,
  type Context,
  integer,
  lines,
  outputFlag,
  type Rows,
  table,
  text,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import { isStandardStream, throughFile } from "./_kit/output_file.ts";
import type { Encrypt } from "../pki/age.ts";
import { chooseEncryption, encryptionInputs } from "./_support_encryption.ts";
import { readKnown } from "./_session/known_connection.ts";
import { chosenContext } from "./_session/osconfig.ts";
import { working } from "../transport/call/open_calls.ts";

const defaultOutput = "support.zip";

const inputs = {
  output: text("archive to write; - for standard output", {
    short: "O",
    complete: "files",
    dash: true,
    initial: defaultOutput,
  }),
  numWorkers: integer("number of files to read at once", {
    short: "w",
    initial: 1,
    least: 0,
    most: 64,
  }),
  verbose: toggle("show every file that is read", { short: "v" }),
  ...encryptionInputs,
  force: toggle("overwrite an existing archive", { short: "f" }),
  summary: toggle("only print problems; write no archive"),
  from: text(
    "with --summary: archive whose summary is printed; contacts no node",
    {
      complete: "files",
    },
  ),
  ...maintenanceInputs,
  format: {
    ...outputFlag,
    summary: `printed format: ${outputFlag.summary.replace(/^.*?: /, "")}`,
  },
};

type SupportInputs = Values<typeof inputs>;

export const command = {
  summary: "Collect a support bundle",
  description:
    `Writes a ZIP archive. For each node: the kernel log, service states and logs, logs of the kube-system pods, resources,
mounts, processes, disks and controller dependencies. For the cluster: Kubernetes nodes and system pods, the result of
"doctor connect", the last runbook runs, and the last operations with this context on this machine.

Secrets are redacted: values from node configurations wherever they occur, and secret resources entirely. If the
configuration of a node cannot be read, its logs are omitted. manifest.json lists what is missing, and why; the status
is then 3. After an interrupt, the archive is readable and contains what was collected so far. It holds at most 4 GB and
65,534 files.

With --insecure, nodes without a configuration are read: kernel log, services, and resources that are not secret.

The archive is encrypted in the format of age if there are recipients: those of --encryption-recipients, and those in
$OSCTL_SUPPORT_RECIPIENTS, separated by commas. Each of them can read it with "age --decrypt"; the default name is then
support.zip.age. Without recipients it is not encrypted.

With --summary, no archive is written, and only problems are printed: nodes that are not ready, their diagnostics,
unhealthy services, etcd alarms or a lost quorum, CAs and a client certificate that expire within 30 days, containers
restarted in the last 24 hours, and the last 5 kernel errors of each node. The status is 3 if something could not be
checked. An archive contains the same summary as summary.json; --summary --from FILE prints it.`,
  noStep: "use node.collectSupport",
  writes: true,
  output: "own",
  inputs,
  examples: [
    "support --nodes @all",
    "support --nodes @all -O case-4711.zip --num-workers 8",
    "support --nodes @all -O - | ssh backup 'cat > case-4711.zip'",
    "support --insecure --nodes 10.0.0.5",
    "support --nodes @all --encryption-recipients age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    "support --summary --nodes @all",
    "support --summary --from case-4711.zip",
  ],
  view: (
    { summary, output },
  ): View<MissingItem> | View<SummaryRow> | View<Uint8Array> =>
    summary ? summaryView : isStandardStream(output) ? bytes() : missingView,
  // Secrets in the archive are already masked.
  discloses: ({ output, summary }) => !summary && isStandardStream(output),
  run(context): Rows<MissingItem | SummaryRow | Uint8Array> {
    const { summary, from, insecure } = context.input;
    if (!summary && from !== undefined) {
      throw new UsageError("Flag --from requires --summary");
    }
    if (summary && insecure) {
      throw new UsageError(
        "Flag --summary needs a cluster, and with --insecure nodes are in none yet",
      );
    }
    return summary ? summarize(context) : support(context);
  },
} satisfies Command<MissingItem | SummaryRow | Uint8Array, SupportInputs>;

const missingView = lines<MissingItem>(({ source, path, reason }) =>
  `${source}: ${path}: ${reason}`
);

const summaryView = table<SummaryRow>({
  TOPIC: { cell: ({ topic }) => topic, name: true },
  SOURCE: { cell: ({ source }) => source, name: true },
  STATE: {
    cell: ({ state }) => state,
    tone: ({ state }) => state === "problem" ? "bad" : "changing",
  },
  PROBLEM: { cell: ({ problem }) => problem, prose: true },
});

async function* summarize(
  context: Context<SupportInputs>,
): AsyncGenerator<SummaryRow> {
  const { input: { from }, note } = context;
  const rows = from === undefined
    ? await lookNow(context)
    : await readSummary(from);
  yield* rows;
  if (rows.length === 0) note("No problems found");
  const unknown = rows.filter(({ state }) => state === "unknown").length;
  if (unknown === 0) return;
  throw new OutcomeError(
    "partial",
    unknown === 1
      ? "1 check could not be completed"
      : `${unknown} checks could not be completed`,
    exitStatus.partial,
  );
}

async function lookNow(
  context: Context<SupportInputs>,
): Promise<readonly SummaryRow[]> {
  const { nodes, environment } = context;
  const names = await nodes.names();
  using cluster = viewCluster(nodes, makeClock(environment));
  return await working(
    "looking for problems",
    () => readSummaryRows(context, cluster, names),
  );
}

function readSummaryRows(
  context: Context<SupportInputs>,
  cluster: ClusterView,
  names: readonly string[],
): Promise<readonly SummaryRow[]> {
  const { environment, signal } = context;
  const clock = makeClock(environment);
  const now = environment.now();
  return supportSummary({
    context: { cluster, group: () => Promise.resolve(names), signal, clock },
    nodes: names,
    now,
    async clientProblems() {
      const { trust } = await readKnown(context);
      if (trust.kind === "maintenance") return [];
      const found = await clientRows(trust.identity, now);
      return found.filter(({ stage, result }) =>
        stage === "client" && (result === "failed" || result === "warning")
      ).map(({ detail }) => detail);
    },
  });
}

async function* support(
  context: Context<SupportInputs>,
): AsyncGenerator<MissingItem | Uint8Array> {
  const { input, environment, note, signal } = context;
  const encryption = chooseEncryption(input, environment);
  for (const recipient of encryption?.recipients ?? []) {
    note(`Encrypting to ${recipient}`);
  }
  const { encrypt } = encryption ?? {};
  const output = encrypt !== undefined && input.output === defaultOutput
    ? `${defaultOutput}.age`
    : input.output;
  let missing: readonly MissingItem[] = [];
  if (isStandardStream(output)) {
    yield* throughFile("support.zip", async (path) => {
      missing = await writeBundle(context, path, encrypt);
    });
    for (const { source, path, reason } of missing) {
      note(`${source}: ${path}: ${reason}`);
    }
  } else {
    await allowOverwrite(context, output);
    missing = await writeBundle(context, output, encrypt);
    yield* missing;
  }
  signal.throwIfAborted();
  if (missing.length === 0) return;
  throw new OutcomeError(
    "partial",
    missing.length === 1
      ? "1 item is missing from the bundle"
      : `${missing.length} items are missing from the bundle`,
    exitStatus.partial,
  );
}

/** Returns the parts that are missing. */
async function writeBundle(
  context: Context<SupportInputs>,
  path: string,
  encrypt: Encrypt | undefined,
): Promise<readonly MissingItem[]> {
  const { input, nodes, environment, signal, note } = context;
  const names = await nodes.names();
  using cluster = viewCluster(nodes, makeClock(environment));
  let current = "collecting the bundle";
  const { files, missing } = await working(() => current, () =>
    collectSupport({
      nodes: names,
      configured: !input.insecure,
      at: nodes.at,
      others: others(context, cluster, names),
      path,
      encrypt,
      now: environment.now(),
      workers: Math.max(1, input.numWorkers),
      signal,
      reading({ source, path }, at, of) {
        const isFirst = at === 1;
        current = `reading ${path} of ${source} (${at} of ${of})`;
        if (input.verbose) note(`${path} (${at} of ${of})`);
        else if (isFirst) note(`${source}: reading ${of} files`);
      },
      about: {
        writtenAt: environment.now().toISOString(),
        osctl: release.tag,
        nodes: names,
      },
    }));
  const target = isStandardStream(input.output) ? "standard output" : path;
  note(`Support bundle with ${files.length} files written to ${target}`);
  return missing;
}

async function allowOverwrite(
  { input, environment, signal }: Context<SupportInputs>,
  output: string,
): Promise<void> {
  if (input.force || !await exists(output)) return;
  const hint = "Nothing was written; pass --force, or another path with -O";
  const refused = new RefusedError(`"${output}" already exists`, {
    hint,
  });
  if (!environment.stdin.terminal) throw refused;
  using prompts = prompter({ environment, signal });
  const question = `Overwrite "${output}"`;
  if (!await confirm(prompts, question, "Pass --force")) throw refused;
}

/** Parts that do not belong to one node. */
function others(
  context: Context<SupportInputs>,
  cluster: ClusterView,
  names: readonly string[],
): readonly ItemList[] {
  const list = (
    name: string,
    files: Readonly<Record<string, () => AsyncIterable<Uint8Array>>>,
  ): ItemList => ({
    name,
    items: () =>
      Promise.resolve(
        Object.entries(files).map(([path, read]) => ({
          source: "cluster",
          path,
          read,
        })),
      ),
  });
  const { signal } = context;
  const kubernetes = async (path: string) => {
    const { request } = await cluster.kubernetes();
    return jsonText(await request(path, { signal }));
  };
  const summary = async () =>
    jsonText(await readSummaryRows(context, cluster, names));
  const connect = list("connection", {
    "connect.json": () => textContent(connection(context)),
  });
  // Without a configuration, nodes are in no cluster.
  if (context.input.insecure) return [connect];
  return [
    list("summary", { [summaryPath]: () => textContent(summary()) }),
    connect,
    list("Kubernetes", {
      "kubernetesResources/nodes.yaml": () =>
        textContent(kubernetes("/api/v1/nodes")),
      "kubernetesResources/systemPods.yaml": () =>
        textContent(kubernetes("/api/v1/namespaces/kube-system/pods")),
    }),
    { name: "runs", items: () => runItems(context, cluster) },
    { name: "operations", items: () => operationItems(context) },
  ];
}

/** Timeout of each connection stage, in milliseconds. */
const stageTimeoutMs = 5_000;

/** Result of `doctor connect`. */
async function connection(context: Context<SupportInputs>): Promise<string> {
  const { globals, environment, signal } = context;
  const rows = await Array.fromAsync(contextRows({
    ...await readKnown(context),
    timeoutMs: stageTimeoutMs,
    nodeTimeoutMs: globals.nodeTimeout,
    env: environment.env,
    now: environment.now,
    clock: () => performance.now(),
    signal,
  }));
  return jsonText(rows);
}

const mostOperations = 20;

/** Local journals of the last operations with this context. */
async function operationItems(
  { globals, environment }: Context<SupportInputs>,
): ReturnType<ItemList["items"]> {
  const folder = locateOperations(environment.env);
  const { name } = await chosenContext({ globals, environment });
  return (await listJournals(folder))
    .filter(({ history }) => history.begin.context === name)
    .slice(0, mostOperations).map(({ id }) => ({
      source: "cluster",
      path: `operations/${id}.jsonl`,
      read: () => fileContent(`${folder}/${id}.jsonl`),
    }));
}

const mostRuns = 10;

/** Local journals of the last runs of this cluster. */
async function runItems(
  { environment }: Context<SupportInputs>,
  cluster: ClusterView,
): ReturnType<ItemList["items"]> {
  const runs = locateRuns(environment.env);
  const { headers } = await surveyHeaders(runs);
  const name = await cluster.name();
  return headers.filter((header) => header.cluster.name === name)
    .slice(0, mostRuns).flatMap(({ id }) =>
      ["header.json", "journal.jsonl", "events.jsonl"].map((file) => ({
        source: "cluster",
        path: `runs/${id}/${file}`,
        read: () => fileContent(`${runs}/${id}/${file}`),
      }))
    );
}

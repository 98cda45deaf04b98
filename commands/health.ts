import { formatDuration } from "../lib/duration.ts";
import { UsageError } from "../errors.ts";
import { pause } from "../lib/pause.ts";
import type { HealthFromHere } from "../workflows/checks/health/client_health.ts";
import type { HealthRow } from "../workflows/checks/health/run_health.ts";
import { serverHealth } from "../workflows/checks/health/server_health.ts";
import {
  type Command,
  type Context,
  duration,
  imageName,
  text,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";
import { oneNode } from "./_kit/one_node.ts";
import { clusterInputs, namedAddresses } from "./_kit/node_inputs.ts";
import { waitDisplay } from "./_kit/wait_display.ts";
import { wrap } from "../terminal/table.ts";
import { textWidth } from "../terminal/text_width.ts";
import { progressParts } from "../terminal/tone.ts";

const inputs = {
  ...clusterInputs,
  runE2e: toggle("also run end-to-end tests in Kubernetes"),
  e2eImage: {
    ...text(
      "with --run-e2e, image of the test runner, such as a copy in your registry",
      { shown: "registry.k8s.io/conformance of the cluster's version" },
    ),
    parse: imageName,
  },
  e2eResultsImage: {
    ...text(
      "with --run-e2e, image with a shell that prints the result files",
      { shown: "registry.k8s.io/e2e-test-images/busybox" },
    ),
    parse: imageName,
  },
  server: toggle("let the selected node check the cluster", { initial: true }),
  waitTimeout: duration("timeout", { initial: "20m0s", step: false }),
};

type HealthInputs = Values<typeof inputs>;

export const command = {
  summary: "Check the health of the cluster",
  description:
    `Waits for one condition after another. With --server, the selected node checks the cluster, with the conditions of its
version; with --server=false, osctl checks it through any endpoint. Standard error shows what each condition is
waiting for; on a timeout the status is 4. An etcd alarm is reported first, and no cluster with one is healthy.

With --run-e2e, three tests run in a pod in the namespace conformance, which is removed afterwards. Where nodes cannot
pull its images from registry.k8s.io, name copies with --e2e-image and --e2e-results-image; nodes pull the images of the
tests themselves from registry.k8s.io or its mirrors.`,
  section: "node",
  inputs,
  examples: [
    "health --nodes 10.0.0.2",
    "health --server=false --wait-timeout 5m",
    "health --nodes 10.0.0.2 --run-e2e --e2e-image registry.example.com/conformance:v1.34.1",
  ],
  view: view(),
  run: health,
} satisfies Command<HealthRow, HealthInputs>;

async function* health(
  context: Context<HealthInputs>,
): AsyncGenerator<HealthRow> {
  const { input, nodes, environment } = context;
  requireTests(input);
  const named = namedAddresses(input);
  const clock = { now: () => environment.now().getTime(), sleep: pause };
  const display = waitDisplay(context);
  const { report } = display;
  const wait = { timeoutMs: input.waitTimeout, clock, report };
  const endpoint = input.k8sEndpoint;
  const fromHere = () => import("../workflows/checks/health/client_health.ts");
  const here = (): HealthFromHere => ({
    nodes,
    named,
    endpoint,
    wait,
    signal: context.signal,
  });
  const waiting = `Waiting up to ${
    formatDuration(input.waitTimeout)
  } for a healthy cluster`;
  try {
    if (input.server) {
      const client = await oneNode(context, "health");
      context.note(`${waiting}, checked by ${client.node}`);
      const question = { ...named, endpoint: endpoint ?? "" };
      yield* serverHealth(client, question, wait);
    } else {
      context.note(waiting);
      yield* (await fromHere()).healthFromHere(here());
    }
    if (input.runE2e) {
      const images = {
        image: input.e2eImage,
        resultsImage: input.e2eResultsImage,
      };
      yield* (await fromHere()).testsFromHere(here(), images);
    }
  } finally {
    await display.end();
  }
}

/** Images are only used by tests: naming one without tests is an error. */
function requireTests(
  { runE2e, e2eImage, e2eResultsImage }: HealthInputs,
): void {
  if (runE2e) return;
  if (e2eImage !== undefined) {
    throw new UsageError("Flag --e2e-image needs --run-e2e");
  }
  if (e2eResultsImage !== undefined) {
    throw new UsageError("Flag --e2e-results-image needs --run-e2e");
  }
}

/** Length of the longest check name, hard-coded because loading the checks is slow. */
const width = 43;

/** Least columns for reasons beside the others. */
const narrow = 30;

/** Columns before the reason. */
const reasonAt = width + 22;

/** Rows arrive seconds apart, so each is printed at once, in fixed columns. */
function view(): View<HealthRow> {
  const line = (check: string, state: string, took: string, reason: string) =>
    `${check.padEnd(width)}   ${state.padEnd(7)}   ${
      took.padEnd(6)
    }   ${reason}`
      .trimEnd() + "\n";
  // A reason that would be a column of few words gets its own lines.
  const placed = (reason: string, columns: number) => {
    if (textWidth(reason) <= columns - reasonAt) return reason;
    const isNarrow = columns - reasonAt < narrow;
    const lines = wrap(reason, columns - (isNarrow ? 2 : reasonAt));
    return isNarrow
      ? lines.map((one) => `\n  ${one}`).join("")
      : lines.join(`\n${" ".repeat(reasonAt)}`);
  };
  return {
    kind: "text",
    gather: false,
    parts: progressParts,
    render({ check, state, took, reason }, first, columns = Infinity) {
      const header = first ? line("CHECK", "STATE", "TOOK", "REASON") : "";
      const time = formatDuration(Math.round(took * 10) * 100);
      const text = line(check, state, time, placed(reason, columns));
      return header + text.replace(/ +\n/g, "\n");
    },
  };
}

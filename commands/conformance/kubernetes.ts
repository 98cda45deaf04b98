import { formatDuration } from "../../lib/duration.ts";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { OsctlError, TimeoutError } from "../../errors.ts";
import { readVersion } from "../../workflows/checks/ask_nodes.ts";
import {
  discoveredNodes,
  kubernetesAt,
} from "../../workflows/checks/health/health_context.ts";
import {
  conformanceSuites,
  runTests,
  type TestEnd,
} from "../../workflows/conformance/run_tests.ts";
import {
  submissionArchive,
  submissionFiles,
} from "../../workflows/conformance/submission.ts";
import {
  defaultResultsImage,
  imageFor,
} from "../../workflows/conformance/test_objects.ts";
import { countTests } from "../../workflows/conformance/test_results.ts";
import {
  askControlPlanes,
  viewCluster,
} from "../../workflows/operations/cluster_view.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";
import { parseVersion } from "../../lib/version.ts";
import {
  choice,
  type Command,
  type Context,
  duration,
  imageName,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";
import { waitDisplay } from "../_kit/wait_display.ts";

/** Result of a test run. */
interface ConformanceRow {
  /** `parallel`, `serial` or `certified`. */
  readonly run: string;
  /** `passed` if no test failed, `timed-out` if some reached the timeout. */
  readonly state: "passed" | "failed" | "timed-out";
  /** Passed tests; `null` if the runner wrote no results. */
  readonly passed: number | null;
  readonly failed: readonly string[];
  /** Duration in seconds. */
  readonly took: number;
  /** Directory with log and results; empty if the runner wrote none. */
  readonly results: string;
  /** Archive of them to submit; empty if there is nothing to submit. */
  readonly archive: string;
}

const inputs = {
  mode: choice(
    "fast runs tests in parallel where it can; certified runs them as a submission requires",
    ["fast", "certified"],
    { initial: "fast" },
  ),
  image: {
    ...text("image of the test runner, such as a copy in your registry", {
      shown: "registry.k8s.io/conformance of the cluster's version",
    }),
    parse: imageName,
  },
  resultsImage: {
    ...text("image with a shell that prints the result files", {
      initial: defaultResultsImage,
    }),
    parse: imageName,
  },
  results: text("directory to write logs and results to", {
    initial: ".",
    complete: "files",
  }),
  contact: text("email address in PRODUCT.yaml, with --mode certified"),
  waitTimeout: duration("timeout for each run of tests", {
    initial: "3h0m0s",
    step: false,
  }),
};

type ConformanceInputs = Values<typeof inputs>;

export const command = {
  summary: "Run Kubernetes conformance tests",
  aliases: ["conformance k8s"],
  description:
    `Runs the tests in a pod in the namespace conformance, with the image of the cluster's version, and removes everything
afterwards, even after an interrupt. Standard error shows the progress. Logs and JUnit results are written to
v1.34/parallel and v1.34/serial, for the minor version of the cluster. Tests that still run after --wait-timeout are
ended, and the results of the others are written all the same; the status is then 4.

--mode certified runs all tests one after the other, which takes about two hours, and writes PRODUCT.yaml, README.md,
e2e.log and junit_01.xml to v1.34/talos: the directory to submit to the CNCF. When all tests have passed, the
archive talos-v1.13.0-kubernetes-v1.34.1.tar.gz, named after both versions, holds it, too; unpack it in a clone of
the repository cncf/k8s-conformance. The tests disturb other pods: do not run them in a cluster that is in use.

Nodes pull the images of the tests themselves from registry.k8s.io or its mirrors.`,
  section: "node",
  noStep: "it takes hours, and an interrupted run is removed",
  writes: true,
  inputs,
  examples: [
    "conformance kubernetes",
    "conformance kubernetes --mode certified --contact conformance@example.com",
    "conformance kubernetes --image registry.example.com/conformance:v1.34.1",
  ],
  view: lines(formatRow),
  run: conformance,
} satisfies Command<ConformanceRow, ConformanceInputs>;

function formatRow(
  { run, state, passed, failed, took, results, archive }: ConformanceRow,
) {
  const time = formatDuration(Math.round(took) * 1_000);
  const counts = passed === null
    ? "no results"
    : `${passed} passed, ${failed.length} failed`;
  const place = results === "" ? "" : `; see ${results}`;
  const packed = archive === "" ? [] : [`Submit ${archive}`];
  return [
    `${run}: ${state.replace("-", " ")} after ${time}: ${counts}${place}`,
    ...failed.map((name) => `  failed: ${name}`),
    ...packed,
  ].join("\n");
}

async function* conformance(
  context: Context<ConformanceInputs>,
): AsyncGenerator<ConformanceRow> {
  const { input, nodes, environment, note, signal } = context;
  const clock = makeClock(environment);
  using cluster = viewCluster(nodes, clock);
  const lazy = kubernetesAt(cluster, await discoveredNodes(cluster), undefined);
  using _ = lazy;
  const kubernetes = await lazy.open();
  const version = String(
    (await kubernetes.request("/version", { signal })).gitVersion,
  );
  const image = input.image ?? imageFor(version);
  const { major = 1, minor = 0 } = parseVersion(version) ?? {};
  const folder = `v${major}.${minor}`;
  let failures = 0;
  for (const { name, ...tests } of conformanceSuites[input.mode]) {
    note(`Running the ${name} tests of ${version} with ${image}`);
    const display = waitDisplay(context);
    const report = sparing(
      context,
      (text) => display.report(`the ${name} tests`, text),
    );
    let end: TestEnd;
    try {
      end = await runTests(
        { kubernetes, clock, signal, report, limitMs: input.waitTimeout },
        { ...tests, image, resultsImage: input.resultsImage },
      );
    } finally {
      await display.end();
    }
    const isCertified = input.mode === "certified";
    const place = `${folder}/${isCertified ? "talos" : name}`;
    let row = await toRow(name, end, `${input.results}/${place}`);
    if (row.state === "failed") failures++;
    else if (row.state === "passed" && isCertified && row.results !== "") {
      const system = await askControlPlanes(
        cluster,
        async (client) => (await readVersion(client)).version?.tag ?? "",
        "Cannot read the version of the cluster",
      );
      const conformed = { system, kubernetes: version };
      const files = submissionFiles(conformed, input.contact ?? "");
      await writeAll(row.results, files);
      const archive =
        `${input.results}/talos-${system}-kubernetes-${version}.tar.gz`;
      const all = new Map([...files, ...end.files]);
      const bytes = await submissionArchive(place, all, environment.now());
      await writeFileAtomic(archive, bytes);
      row = { ...row, archive };
      if (input.contact === undefined) {
        note(
          `Add your email address to ${row.results}/PRODUCT.yaml, also in the archive; --contact adds it`,
        );
      }
    }
    yield row;
    if (row.state === "timed-out") {
      throw new TimeoutError(
        `The ${name} tests did not finish in time: ${end.progress}`,
      );
    }
  }
  if (failures > 0) throw new OsctlError("The conformance tests failed");
}

/** Interval between progress lines without a terminal, in milliseconds. */
const sparingMs = 60_000;

/** Reports progress once a minute if lines cannot be redrawn. */
function sparing(
  { environment: { live, now } }: Pick<Context<unknown>, "environment">,
  report: (text: string) => void,
): (text: string) => void {
  if (live !== undefined) return report;
  let last = -Infinity;
  return (text) => {
    const at = now().getTime();
    if (/^\d+ of \d+/.test(text) && at - last < sparingMs) return;
    last = at;
    report(text);
  };
}

async function toRow(
  run: string,
  { code, tookMs, files }: TestEnd,
  folder: string,
): Promise<ConformanceRow> {
  await writeAll(folder, files);
  const junit = files.get("junit_01.xml");
  const counts = junit === undefined ? undefined : countTests(junit);
  return {
    run,
    state: code === undefined ? "timed-out" : code === 0 ? "passed" : "failed",
    passed: counts?.passed ?? null,
    failed: counts?.failed ?? [],
    took: Math.round(tookMs / 100) / 10,
    results: files.size === 0 ? "" : folder,
    archive: "",
  };
}

async function writeAll(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, content] of files) {
    await writeFileAtomic(`${folder}/${name}`, content);
  }
}

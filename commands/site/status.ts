import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { readCommit } from "../../lib/git_commit.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { formatCount } from "../../lib/text/count.ts";
import { relativeTime } from "../../terminal/units.ts";
import {
  type HistoryRow,
  historyRow,
} from "../../workflows/runbooks/report/history_row.ts";
import { surveyRuns } from "../../workflows/runbooks/store/find_run.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import type { NodeState } from "../../workflows/site/compare_site.ts";
import { siteRunName } from "../../workflows/site/plan_site.ts";
import { type Command, textual, type Values } from "../_kit/mod.ts";
import { compareLive } from "./_live.ts";
import { siteEnvironment, siteInputs } from "./_site.ts";

/** State of a site. */
interface SiteStatusRow {
  /** Time of this state, ISO 8601. */
  readonly checkedAt: string;
  readonly site: string;
  readonly cluster: string;
  /** Git commit of the directory; empty outside of a repository. */
  readonly commit: string;
  /** True if the directory has changes that are not in git. */
  readonly dirty: boolean;
  /** Last run of site apply on this machine; null if there is none. */
  readonly run: HistoryRow | null;
  /** Commit that it applied; null if there is no run. */
  readonly runCommit: string | null;
  /** Names of nodes by state. */
  readonly nodes: Readonly<Partial<Record<NodeState, readonly string[]>>>;
  /** Numbers of members by OS version. */
  readonly versions: Readonly<Record<string, number>>;
  /** Numbers of members by version of the kubelet. */
  readonly kubernetes: Readonly<Record<string, number>>;
  /** Ends of the CAs in the secrets, ISO 8601, by name. */
  readonly certificates: Readonly<Record<string, string>>;
}

const inputs = siteInputs;

export const command = {
  summary: "Show the state of a site and its cluster",
  description:
    `Shows the last run of "osctl site apply" on this machine and its git commit, the nodes that differ from the site, the
versions they run, and when the CAs of the cluster expire. For the differences themselves: osctl site diff.`,
  inputs,
  examples: ["site status", "site status -o json"],
  view: textual(formatStatus),
  async *run(context) {
    const { environment, input } = context;
    const { site, bundle, facts, nodes } = await compareLive(context);
    const { commit, isDirty } = await readCommit(
      site.folder,
      siteEnvironment(context),
    );
    let run: HistoryRow | null = null;
    let runCommit: string | null = null;
    // Newest first, and only as many as needed.
    for await (const one of surveyRuns(findPlaces(environment).runs)) {
      const { runbook, cluster, inputs } = one.header;
      if (runbook !== siteRunName || cluster.id !== bundle.cluster.id) continue;
      run = historyRow(one, environment.now());
      runCommit = String(inputs.commit ?? "");
      break;
    }
    const members = facts?.nodes ?? [];
    yield {
      checkedAt: environment.now().toISOString(),
      site: input.site,
      cluster: site.clusterName,
      commit,
      dirty: isDirty,
      run,
      runCommit,
      nodes: Object.fromEntries(
        [...Map.groupBy(nodes, ({ row }) => row.state)]
          .map(([state, all]) => [state, all.map(({ row }) => row.node)]),
      ),
      versions: countBy(members.map(({ version }) => version)),
      kubernetes: countBy(members.map((node) => node.kubernetesVersion)),
      certificates: readExpiries(bundle),
    };
  },
} satisfies Command<SiteStatusRow, Values<typeof inputs>>;

function countBy(values: readonly string[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(values, (value) => value || "unknown");
  return Object.fromEntries(
    [...groups].map(([value, all]) => [value, all.length]),
  );
}

function readExpiries({ certs }: SecretsBundle): Record<string, string> {
  const named = {
    "node API": certs.os,
    Kubernetes: certs.k8s,
    aggregator: certs.k8sAggregator,
    etcd: certs.etcd,
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, { crt }]) => {
      const pem = new TextDecoder().decode(Uint8Array.fromBase64(crt));
      const [der] = decodePemAs(pemLabel.certificate, pem);
      const { notAfter } = inspectCertificate(der);
      return [name, notAfter.toISOString()];
    }),
  );
}

function formatStatus(row: SiteStatusRow): string {
  const counts = (some: Readonly<Record<string, number>>) =>
    Object.entries(some).map(([value, count]) =>
      `${value} (${formatCount(count, "node")})`
    ).join(", ") || "unknown";
  const run = row.run === null ? ["none on this machine"] : [
    `${row.run.run} ${row.run.state}`,
    `started ${relativeTime(row.run.startedAt, new Date(row.checkedAt))}`,
    row.runCommit?.slice(0, 12) ?? "",
  ];
  const commit = row.commit.slice(0, 12) || "no git commit";
  const lines = [
    `Site: ${row.site} of cluster ${row.cluster}, ${commit}${
      row.dirty ? " with changes" : ""
    }`,
    `Last run: ${run.filter((text) => text !== "").join(", ")}`,
    ...Object.entries(row.nodes).map(([state, names = []]) =>
      `Nodes ${state}: ${names.join(", ")}`
    ),
    `OS: ${counts(row.versions)}`,
    `Kubernetes: ${counts(row.kubernetes)}`,
    ...Object.entries(row.certificates).map(([name, at]) =>
      `CA of ${name}: expires ${at.slice(0, 10)}`
    ),
  ];
  return `${lines.join("\n")}\n`;
}

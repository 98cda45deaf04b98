/** An apply on a model cluster: what a directory says now, on nodes that have what it said before. */

import type { TestbedOptions } from "../../../workflows/rehearsal/open_testbed.ts";
import { listModelNodes } from "../../../workflows/rehearsal/cluster_shape.ts";
import type { ObservedNode } from "../../../workflows/rehearsal/model/observed_state.ts";
import { sharedSecrets } from "../../../workflows/rehearsal/model/shared_secrets.ts";
import {
  type ComparedNode,
  compareSite,
} from "../../../workflows/site/compare_site.ts";
import { loadSite } from "../../../workflows/site/load_site.ts";
import { declaredFacts } from "../../../workflows/site/model_site.ts";
import { planSite } from "../../../workflows/site/plan_site.ts";
import { makeRenderer } from "../../../workflows/site/render_node.ts";
import { ConnectError } from "../../../errors.ts";
import { fakeSiteEnvironment, withFiles } from "./_site.ts";

/** State of a directory. */
export interface SiteState {
  readonly os: string;
  readonly kubernetes: string;
  /** Further files, and lines of `site.yaml`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly more?: string;
}

/** A cluster, and a directory that has changed. */
export interface AppliedSite {
  readonly controlPlanes: number;
  readonly workers: number;
  /** Indices of nodes in maintenance mode; control planes come first. */
  readonly waiting?: readonly number[];
  readonly before: SiteState;
  readonly after: SiteState;
}

async function renderSite({ controlPlanes, workers }: AppliedSite, {
  os,
  kubernetes,
  files = {},
  more = "",
}: SiteState) {
  const spec = { controlPlanes, workers, version: os, grub: false };
  const nodes = listModelNodes(spec).map(({ name, address }, index) =>
    `  - {host: ${name}, ip: ${address}, role: ${
      index < controlPlanes ? "control-plane" : "worker"
    }}\n`
  );
  const site = `clusterName: demo
clusterEndpoint: https://10.5.0.2:6443
kubernetesVersion: ${kubernetes}
talosVersion: ${os}
${more}nodes:
${nodes.join("")}`;
  const all = {
    "site.yaml": site,
    "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
    ...files,
  };
  const { secrets } = await sharedSecrets();
  let made;
  await withFiles(all, async (folder) => {
    const environment = fakeSiteEnvironment();
    const { site } = await loadSite(folder, environment);
    const render = makeRenderer(site, secrets, environment);
    made = { site, rendered: await Promise.all(site.nodes.map(render)) };
  });
  return made as unknown as { // withFiles has run it
    readonly site: Awaited<ReturnType<typeof loadSite>>["site"];
    readonly rendered: readonly Awaited<
      ReturnType<ReturnType<typeof makeRenderer>>
    >[];
  };
}

/** Makes the run of the apply, its cluster, and a comparison of nodes with the directory. */
export async function prepareApply(applied: AppliedSite) {
  const { controlPlanes, workers, waiting = [], before } = applied;
  const live = await renderSite(applied, before);
  const { site, rendered } = await renderSite(applied, applied.after);
  const isNew = rendered.slice(0, controlPlanes)
    .every((_, index) => waiting.includes(index));
  const compare = (nodes: readonly ObservedNode[]) =>
    compareSite(rendered, {
      facts: nodes.flatMap((node, index) => {
        const one = live.rendered[index];
        if (one === undefined || node.slots.length === 0) return [];
        const { name, address, role, version } = node;
        const facts = declaredFacts(one, `v${before.kubernetes}`);
        return [{ ...facts, name, address, role, version }];
      }),
      readText: (address) =>
        Promise.resolve(
          nodes.find((one) => one.address === address)?.configuration ?? "",
        ),
      probe: (address) => {
        const node = nodes.find((one) => one.address === address);
        const isWaiting = node?.isOn && node.slots.length === 0;
        const failure = new ConnectError("refused", "refused");
        return Promise.resolve(isWaiting ? { version: "" } : { failure });
      },
    }, site.nodes);
  const spec = { controlPlanes, workers, version: before.os, grub: false };
  const names = listModelNodes(spec);
  const plan = await planSite(
    site,
    await compare(live.rendered.map((one, index) => ({
      ...names[index]!, // as many
      role: one.node.role,
      version: before.os,
      slots: waiting.includes(index) ? [] : [before.os],
      configuration: one.text,
      isOn: true,
    } as unknown as ObservedNode))),
  );
  const model: TestbedOptions["model"] = {
    kubernetes: before.kubernetes,
    configuration: (index) =>
      waiting.includes(index) ? undefined : live.rendered[index]?.text,
    unconfigured: (index) => waiting.includes(index),
    bootstrapped: !isNew,
  };
  const bytes = new TextEncoder().encode(plan.configurations);
  return {
    plan,
    cluster: `sim:${controlPlanes}cp+${workers}w,${before.os}`,
    secretValues: new Map(
      plan.configurations === "{}" ? [] : [["configurations", bytes]],
    ),
    model,
    compare: async (nodes: readonly ObservedNode[]) => {
      const compared: readonly ComparedNode[] = await compare(nodes);
      return compared.flatMap(({ row }) => row.differences);
    },
  };
}

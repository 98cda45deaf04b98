/** A simulated cluster that has what a site declares. */

import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { newClusterSecrets } from "../../../simulator/cluster/make_cluster.ts";
import {
  noStore,
  type SavedCluster,
} from "../../../simulator/cluster/saved_state.ts";
import type { ClusterOptions } from "../../../simulator/cluster/cluster.ts";
import { loadSite } from "../../../workflows/site/load_site.ts";
import { makeRenderer } from "../../../workflows/site/render_node.ts";
import { fakeSiteEnvironment, withFiles } from "../../workflows/site/_site.ts";
import { type RunHome, withRunHome } from "../runbook/_home.ts";

/** A site, and its live cluster with the home of an operator. */
export interface LiveHome extends RunHome {
  readonly folder: string;
  /** Writes a file of the site. */
  readonly edit: (name: string, text: string) => Promise<void>;
}

/** The site: three control planes and two workers, in the order of the simulated nodes. */
export const liveSite = `clusterName: simulated
clusterEndpoint: https://10.5.0.2:6443
kubernetesVersion: 1.34.1
talosVersion: v1.12.11
nodes:
  - {host: cp-1, ip: 10.5.0.2, role: control-plane}
  - {host: cp-2, ip: 10.5.0.3, role: control-plane}
  - {host: cp-3, ip: 10.5.0.4, role: control-plane}
  - {host: w-1, ip: 10.5.0.5, role: worker}
  - {host: w-2, ip: 10.5.0.6, role: worker}
`;

let shared: Promise<SavedCluster> | undefined;

/** Runs a test with a site, and a cluster whose nodes have its configurations. */
export async function withLiveSite(
  test: (home: LiveHome) => Promise<void>,
  options: ClusterOptions = {},
  site = liveSite,
): Promise<void> {
  const secrets = await (shared ??= newClusterSecrets(noStore, {
    now: () => Date.now(),
  }));
  const files = {
    "site.yaml": site,
    "secrets.yaml": renderSecrets(secrets.secrets),
    "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
  };
  await withFiles(files, async (folder) => {
    const environment = fakeSiteEnvironment();
    const { site } = await loadSite(folder, environment);
    const render = makeRenderer(site, secrets.secrets, environment);
    const texts: string[] = [];
    for (const node of site.nodes) texts.push((await render(node)).text);
    const isWorker = ({ role }: { readonly role: string }) => role === "worker";
    const workers = site.nodes.filter(isWorker).length;
    await withRunHome((home) =>
      test({
        ...home,
        folder,
        edit: (name, text) => Deno.writeTextFile(`${folder}/${name}`, text),
      }), {
      controlplanes: site.nodes.length - workers,
      workers,
      secrets,
      configuration: (index) => texts[index],
      ...options,
    });
  });
}

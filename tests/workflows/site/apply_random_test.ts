import assert from "node:assert/strict";
import { listModelNodes } from "../../../workflows/rehearsal/cluster_shape.ts";
import type { ObservedNode } from "../../../workflows/rehearsal/model/observed_state.ts";
import { sharedSecrets } from "../../../workflows/rehearsal/model/shared_secrets.ts";
import type { NodeFacts } from "../../../workflows/runbook_cel/facts.ts";
import {
  compareSite,
  type SiteDifference,
} from "../../../workflows/site/compare_site.ts";
import { loadSite } from "../../../workflows/site/load_site.ts";
import {
  inModelOrder,
  modelSite,
  toDeclared,
} from "../../../workflows/site/model_site.ts";
import { planSite } from "../../../workflows/site/plan_site.ts";
import { makeRenderer } from "../../../workflows/site/render_node.ts";
import { runRehearsal } from "../rehearsal/_runbooks.ts";
import { fakeSiteEnvironment, withFiles } from "./_site.ts";

/** Rehearsals of whole rollouts. */
export const longestSeconds = 180;

const version = "v1.12.11";

/** Pseudorandom choices, the same for the same seed. */
function choices(seed: number) {
  let state = seed;
  return <T>(...values: readonly [T, ...T[]]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return values[(state >>> 16) % values.length] ?? values[0];
  };
}

const difference = {
  ...{ name: "", live: null, declared: null, diff: null },
} as const;

for (const seed of [1, 2, 3, 4]) {
  Deno.test(`a generated site (${seed}) is applied despite a fault, and then nothing differs`, async () => {
    const choose = choices(seed);
    const planes = choose(3, 3, 1);
    const workers = choose(1, 2, 3);
    const declared = choose(version, "v1.12.12");
    const hosts = [
      ...Array.from(
        { length: planes },
        (_, at) => [`cp-${at}`, "control-plane"],
      ),
      ...Array.from({ length: workers }, (_, at) => [`w-${at}`, "worker"]),
    ];
    const files = {
      "site.yaml": `clusterName: demo
clusterEndpoint: https://10.5.0.2:6443
kubernetesVersion: 1.34.1
talosVersion: ${declared}
upgrade: {soak: ${choose("0s", "10s")}, batch: ${choose("1", "50%")}}
nodes:
${
        hosts.map(([host, role], at) =>
          `  - {host: ${host}, ip: 10.5.0.${at + 2}, role: ${role}}\n`
        ).join("")
      }`,
      "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
      [choose("all/a.yaml", "worker/a.yaml", "control-plane/a.yaml")]:
        "machine: {sysctls: {net.core.somaxconn: '1024'}}\n",
    };
    const fault = choose(
      "runner: kill @ record 30",
      "runner: kill-before @ record 60",
      "node/*: unavailable @ replace for 2m",
      "rpc/ApplyConfiguration: reply-lost times 1",
      "rpc/ApplyConfiguration: request-lost times 1",
    );
    await withFiles(files, async (folder) => {
      const environment = fakeSiteEnvironment();
      const { site } = await loadSite(folder, environment);
      const { secrets } = await sharedSecrets();
      const render = makeRenderer(site, secrets, environment);
      const spec = { controlPlanes: planes, workers, version, grub: false };
      const names = listModelNodes(spec);
      const rendered = await Promise.all(site.nodes.map(render));
      const changes = (): readonly SiteDifference[] => [
        ...choose(true, true, false)
          ? [{
            ...{ ...difference, subject: "configuration" as const },
            needs: choose("nothing" as const, "reboot" as const),
          }]
          : [],
        ...declared === version ? [] : [{
          ...{ ...difference, subject: "version" as const },
          needs: "upgrade" as const,
        }],
      ];
      const nodes = inModelOrder(
        rendered.map((one) => {
          const compared = toDeclared(one, "v1.34.1");
          const { row, facts } = compared;
          const differences = changes();
          const state = differences.length === 0
            ? "equal" as const
            : "different" as const;
          return {
            ...compared,
            role: facts.role,
            row: { ...row, differences, state },
            facts: { ...facts, version },
          };
        }),
      ).map((compared, at) => ({ ...names[at]!, compared })); // as many
      const first = nodes[0]!.compared; // a site has nodes
      const model = await modelSite(site, nodes, secrets, environment);
      const made = await planSite(site, model.nodes);
      if (made.text === "") return;
      const seen = await runRehearsal({
        runbook: made.text,
        cluster: `sim:${planes}cp+${workers}w,${version}`,
        faults: [fault],
        resumes: 5,
        secretValues: new Map([[
          "configurations",
          new TextEncoder().encode(made.configurations),
        ]].filter(() => made.configurations !== "{}") as [
          string,
          Uint8Array<ArrayBuffer>,
        ][]),
        model: {
          kubernetes: "1.34.1",
          configuration: (index) => model.configurations[index],
        },
      });
      assert.deepEqual(seen.violated, [], fault);
      assert.equal(seen.report?.state, "succeeded", `${fault} ${made.text}`);
      const differences = async (nodes: typeof seen.after.nodes) => {
        // The observer of the model sees all of it.
        const live = nodes as readonly ObservedNode[];
        const compared = await compareSite(rendered, {
          facts: live.map(({ name, address, role, version }): NodeFacts => ({
            ...first.facts,
            ...{ name, address, role, version },
          })),
          readText: (address) =>
            Promise.resolve(
              live.find((one) => one.address === address)?.configuration ?? "",
            ),
          probe: () => Promise.reject(new TypeError("no node is missing")),
        }, site.nodes);
        return compared.flatMap(({ row }) => row.differences);
      };
      assert.ok((await differences(seen.before.nodes)).length > 0);
      assert.deepEqual(await differences(seen.after.nodes), [], fault);
    });
  });
}

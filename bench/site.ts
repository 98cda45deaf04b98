/** A site of 200 nodes: rendered, and compared with its live cluster. */

import type { Measurement } from "../tools/bench.ts";
import { median, withBench } from "./_bench.ts";

const template = `machine:
  sysctls:
{{- range $i, $v := until 20 }}
    net.bench.{{ $i }}: {{ printf "%s-%d" $.Node.Host $v | quote }}
{{- end }}
`;
const expressions = `machine:
  nodeAnnotations:
    bench/host: \${{ node.host }}
    bench/cluster: \${{ site.clusterName }}
`;

/**
 * Measures rendering and comparing, whole process.
 *
 * @returns Medians.
 * @throws {Error} If the executable cannot be built.
 */
export async function run(): Promise<readonly Measurement[]> {
  const options = { controlplanes: 3, workers: 197 };
  return await withBench(options, async ({ osctl, cluster, folder }) => {
    const site = `${folder}/lab`;
    const [first] = cluster.nodes;
    const node = first?.identity.address ?? "";
    await osctl("site", "init", site, "--from-live", "--nodes", node);
    await Deno.writeTextFile(`${site}/all/bench.yaml.tpl`, template);
    await Deno.writeTextFile(`${site}/all/bench.yaml`, expressions);
    const render = await median(
      5,
      () => osctl("site", "render", "--site", site, "-o", `${folder}/out`),
    );
    const diff = await median(3, () => osctl("site", "diff", "--site", site));
    return [
      {
        name: "site render, 200 nodes",
        value: render.ms,
        unit: "ms",
        budget: 2_000,
      },
      {
        name: "site render, 200 nodes, memory",
        value: render.megabytes,
        unit: "MB",
        budget: 200,
      },
      {
        name: "site diff, 200 live nodes",
        value: diff.ms,
        unit: "ms",
        budget: 6_000,
      },
    ];
  });
}

/** A cluster of containers: one control plane and one worker, stand-in nodes whose image is there. */

import { engineNeeds, startEngine } from "../tests/_docker.ts";
import { has } from "../tests/_needs.ts";
import { importStandIn } from "../tests/_stand_in/image.ts";
import type { Ignored, Measurement } from "../tools/bench.ts";
import { executable, measureUsage, median } from "./_bench.ts";

/** Budget in seconds, until all is healthy and the kubeconfig is merged. */
const budget = 10;

/** Measures how long a cluster takes. */
export async function run(): Promise<readonly (Measurement | Ignored)[]> {
  const name = "cluster create docker, 1+1 stand-in nodes";
  if (!engineNeeds.every(has)) {
    return [{ name, ignored: "dockerd is not installed" }];
  }
  await using engine = await startEngine();
  const folder = await Deno.makeTempDir();
  try {
    const program = await executable(folder);
    const env = {
      HOME: folder,
      XDG_CACHE_HOME: folder,
      DOCKER_HOST: engine.host,
      OSCTL_TEST_UNPRIVILEGED: "1",
    };
    const osctl = (line: string) => measureUsage(program, line.split(" "), env);
    const image = "osctl-stand-in:v1.12.11";
    await importStandIn(engine.host, image);
    const { ms } = await median(3, async () => {
      const usage = await osctl(
        `cluster create docker --image ${image} --subnet 10.76.0.0/24`,
      );
      await osctl("cluster destroy");
      return usage;
    });
    return [{ name, value: ms / 1000, unit: "s", budget }];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Pulls an image, and says how far each layer is. */

import type { Progress } from "../provisioner.ts";
import { asking, type ContainerEngine, ifThere } from "./engine.ts";

/** One line of what the engine says while it pulls. */
export interface PullEvent {
  /** Layer; absent for what concerns the image. */
  readonly id?: string;
  /** What is done with it. */
  readonly status?: string;
  /** How far it is, in bytes. */
  readonly progressDetail?: {
    readonly current?: number;
    readonly total?: number;
  };
}

/** Pulls an image unless the engine has it. */
export async function pullImage(
  { api }: ContainerEngine,
  image: string,
  progress: Progress,
): Promise<void> {
  if (await ifThere(() => api.getImage(image).inspect()) !== undefined) return;
  await progress.phase(
    `pulling image ${image}`,
    (say) =>
      asking(`pull image ${image}`, async () => {
        const stream = await api.pull(image);
        const layers = layerReport({ say, done: progress.node });
        await new Promise<void>((resolve, reject) => {
          api.modem.followProgress(
            stream,
            (error) => error === null ? resolve() : reject(error),
            layers,
          );
        });
      }),
  );
}

/** Reports every layer when it is there, and meanwhile how much of all has come. */
export function layerReport(
  { say, done }: {
    readonly say: (text: string) => void;
    readonly done: (layer: string, what: string) => void;
  },
): (event: PullEvent) => void {
  const sizes = new Map<string, { current: number; total: number }>();
  const finished = new Set<string>();
  return ({ id, status = "", progressDetail = {} }) => {
    if (id === undefined) return;
    const { current, total } = progressDetail;
    if (status === "Downloading" && current !== undefined) {
      sizes.set(id, { current, total: total ?? current });
    }
    const isDone = status === "Pull complete" || status === "Already exists";
    if (isDone && !finished.has(id)) {
      finished.add(id);
      const size = sizes.get(id);
      if (size !== undefined) size.current = size.total;
      const bytes = size === undefined ? "" : `, ${megabytes(size.total)} MB`;
      done(`layer ${id}`, `${status.toLowerCase()}${bytes}`);
    }
    const all = [...sizes.values()];
    const come = all.reduce((sum, { current }) => sum + current, 0);
    const whole = all.reduce((sum, { total }) => sum + total, 0);
    if (whole > 0) say(`${megabytes(come)} of ${megabytes(whole)} MB`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

import { OsctlError } from "../../errors.ts";
import type { CreateOptions } from "../provisioner.ts";
import { asking, type ContainerEngine, ifThere } from "./engine.ts";

interface PullEvent {
  /** Layer; absent for the image itself. */
  readonly id?: string;
  readonly status?: string;
  /** Progress in bytes. */
  readonly progressDetail?: {
    readonly current?: number;
    readonly total?: number;
  };
  /** Error; the response status is already 200 by then. */
  readonly error?: string;
}

/** Registry credentials in the engine's format. */
export type PullLogin =
  | { readonly username: string; readonly password: string }
  | { readonly identitytoken: string };

/** An image to pull. */
export interface ImagePull {
  readonly image: string;
  /** Returns the registry login; only called if the engine does not have the image. */
  readonly login: () => Promise<PullLogin | undefined>;
}

/** Login in the library's format. */
export async function readAuth(
  { login }: ImagePull,
): Promise<{ authconfig?: PullLogin }> {
  const authconfig = await login();
  return authconfig === undefined ? {} : { authconfig };
}

/**
 * Pulls an image unless it is present.
 *
 * @throws {OsctlError} If it cannot be pulled.
 */
export async function pullImage(
  { api }: ContainerEngine,
  wanted: ImagePull,
  { progress, signal }: Pick<CreateOptions, "progress" | "signal">,
): Promise<void> {
  const { image } = wanted;
  if (await ifThere(() => api.getImage(image).inspect()) !== undefined) return;
  await progress.phase(
    `pulling image ${image}`,
    (say) =>
      asking(`pull image ${image}`, async () => {
        const layers = layerReport({ say, done: progress.node });
        const events = await pullEvents(api, wanted, { layers, signal })
          .catch((error) => {
            signal.throwIfAborted();
            throw error;
          });
        const failed = events.find(({ error }) => error !== undefined);
        if (failed === undefined) return;
        throw new OsctlError(`Cannot pull image ${image}: ${failed.error}`);
      }),
  );
}

async function pullEvents(
  api: ContainerEngine["api"],
  wanted: ImagePull,
  { layers, signal }: {
    readonly layers: (event: PullEvent) => void;
    readonly signal: AbortSignal;
  },
): Promise<readonly PullEvent[]> {
  const options = { abortSignal: signal, ...await readAuth(wanted) };
  const stream = await api.pull(wanted.image, options);
  return await new Promise((resolve, reject) => {
    api.modem.followProgress(
      stream,
      (error, events) => error === null ? resolve(events) : reject(error),
      layers,
    );
  });
}

/** Reports finished layers and the total progress. */
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

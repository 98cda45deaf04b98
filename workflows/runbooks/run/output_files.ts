import { refusePipe, unwritable } from "../../../lib/files/atomic_file.ts";
import { writeAll } from "../../../lib/files/write_all.ts";

/** Paths of output files. */
export interface OutputPaths {
  /** File for events, one JSON object per line. */
  readonly eventsFile: string | undefined;
  /** File for the JUnit XML report. */
  readonly junit: string | undefined;
}

/** Open output files. */
export interface OutputFiles extends Disposable {
  /** Writes to the events file. */
  readonly eventsFile?: (text: string) => Promise<void>;
  /** Writes to the report file. */
  readonly junitFile?: (text: string) => Promise<void>;
}

/**
 * Opens the output files before anything is sent, so that unwritable ones fail early.
 *
 * @throws {ConfigError} If one cannot be written.
 */
export async function openOutputFiles(
  { eventsFile, junit }: OutputPaths,
): Promise<OutputFiles> {
  const opened: Deno.FsFile[] = [];
  const close = () => opened.forEach((file) => file.close());
  async function writer(
    path: string | undefined,
  ): Promise<((text: string) => Promise<void>) | undefined> {
    if (path === undefined) return undefined;
    const file = await createFile(path);
    opened.push(file);
    return (text) => writeAll(file, new TextEncoder().encode(text));
  }
  try {
    return {
      eventsFile: await writer(eventsFile),
      junitFile: await writer(junit),
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function createFile(path: string): Promise<Deno.FsFile> {
  try {
    await refusePipe(path);
    return await Deno.open(path, {
      create: true,
      write: true,
      truncate: true,
      mode: 0o600,
    });
  } catch (error) {
    throw unwritable(path, error);
  }
}

import { refusePipe, unwritable } from "../../../lib/files/atomic_file.ts";
import { writeAll } from "../../../lib/files/write_all.ts";

/** Paths of files that were asked for. */
export interface OutputPaths {
  /** File for events, one JSON object on each line. */
  readonly eventsFile: string | undefined;
  /** File for the report in JUnit's XML. */
  readonly junit: string | undefined;
}

/** Files that were asked for, open. */
export interface OutputFiles extends Disposable {
  /** Writes to the file for events. */
  readonly eventsFile?: (text: string) => Promise<void>;
  /** Writes to the file for the report. */
  readonly junitFile?: (text: string) => Promise<void>;
}

/**
 * Opens files that were asked for, before anything is sent: what cannot be written is known then.
 *
 * @throws {ConfigError} If one cannot be written.
 */
export async function openOutputFiles(
  { eventsFile, junit }: OutputPaths,
): Promise<OutputFiles> {
  const opened: Deno.FsFile[] = [];
  const close = () => opened.forEach((file) => file.close());
  async function writer(
    path: string,
  ): Promise<(text: string) => Promise<void>> {
    const file = await created(path);
    opened.push(file);
    return (text) => writeAll(file, new TextEncoder().encode(text));
  }
  try {
    return {
      ...(eventsFile === undefined
        ? {}
        : { eventsFile: await writer(eventsFile) }),
      ...(junit === undefined ? {} : { junitFile: await writer(junit) }),
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function created(path: string): Promise<Deno.FsFile> {
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

/** Runs the installed openssl, the second opinion on everything written here. */

/** Whether there is an openssl to ask; others by that name print other texts. */
export const hasOpenssl: boolean = await answers();

/** What openssl printed. */
export interface OpensslResult {
  /** Whether it exited with status 0. */
  readonly ok: boolean;
  /** Standard output as it was. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Standard output as text. */
  readonly text: string;
  /** Standard error, to show when a check fails. */
  readonly problem: string;
}

/**
 * Runs openssl in a folder of its own.
 *
 * @param args Arguments; files are named as in `files`.
 * @param files Name to content; gone when the call returns.
 */
export async function openssl(
  args: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<OpensslResult> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string"
        ? new TextEncoder().encode(content)
        : content;
      await Deno.writeFile(`${folder}/${name}`, bytes);
    }
    const { success, stdout, stderr } = await new Deno.Command("openssl", {
      args: [...args],
      cwd: folder,
    }).output();
    const text = new TextDecoder().decode(stdout);
    const problem = new TextDecoder().decode(stderr);
    return { ok: success, bytes: stdout, text, problem };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function answers(): Promise<boolean> {
  try {
    const command = new Deno.Command("openssl", { args: ["version"] });
    const { stdout } = await command.output();
    return /^OpenSSL 3/.test(new TextDecoder().decode(stdout));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

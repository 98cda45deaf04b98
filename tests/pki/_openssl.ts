/** Runs the installed openssl, the second opinion on everything written here. */

export interface OpensslResult {
  readonly ok: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
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

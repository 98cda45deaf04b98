/** Runs programs of this machine. */

/** Runs a program. Returns its output and status. `input`: what it reads. */
export async function command(
  line: readonly string[],
  input?: Uint8Array | string,
): Promise<{
  readonly out: string;
  readonly bytes: Uint8Array;
  readonly err: string;
  readonly code: number;
}> {
  const [program = "", ...args] = line;
  const child = new Deno.Command(program, {
    args,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(
      typeof input === "string" ? new TextEncoder().encode(input) : input,
    );
    await writer.close();
  }
  const { stdout, stderr, code } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { out: text(stdout), bytes: stdout, err: text(stderr), code };
}

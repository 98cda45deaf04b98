/** Matching of faults with names of nodes and paths of steps. */

/**
 * Reports whether a node matches.
 *
 * @param glob Name with `*`; `worker-2` and `cp-2` stand for `demo-worker-2` and `demo-controlplane-2`.
 */
export function matchesNode(glob: string, name: string): boolean {
  const whole = glob.replace(/^cp-/, "controlplane-");
  return [glob, whole].some((one) =>
    new RegExp(`^(.*-)?${compilePattern(one)}$`).test(name)
  );
}

/**
 * Reports whether a step matches.
 *
 * @param glob Its path, or the end of it; `*` matches a part of a name, and as the last name everything below.
 */
export function matchesStep(glob: string, path: string): boolean {
  const below = glob.endsWith("/*");
  const named = compilePattern(below ? glob.slice(0, -2) : glob);
  return new RegExp(`(^|/)${named}${below ? "/.+" : ""}$`).test(path);
}

function compilePattern(glob: string): string {
  return glob.split("*").map(RegExp.escape).join("[^/]*");
}

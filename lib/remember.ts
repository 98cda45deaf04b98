/** Remembers the results of a function, also while they are computed. */
export function remember<T>(
  compute: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (key) => {
    const known = results.get(key) ?? compute(key);
    results.set(key, known);
    return known;
  };
}

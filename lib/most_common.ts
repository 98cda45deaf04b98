/** The most frequent of several texts, the first one if there are several; `undefined` if there is none. */
export function mostCommon(texts: readonly string[]): string | undefined {
  const groups = [...Map.groupBy(texts, (text) => text)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

export function compileTemplate(_template: string): (row: unknown) => string {
  return () => "";
}

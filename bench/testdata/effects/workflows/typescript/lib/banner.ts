export type Target = 'dev' | 'prod';
export function banner(t: Target): string {
  return `// ${t}\n`;
}

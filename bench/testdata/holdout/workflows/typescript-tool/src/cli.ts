import { docs, list } from './commands.ts';
type Command = 'docs' | 'ls';
const table: Record<Command, () => Promise<void>> = { docs, ls: list };
await table[process.argv[2] as Command]();

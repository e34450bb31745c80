// Test files that need no engine: they run in seconds, on a machine where nothing is installed.
import { globSync, readFileSync } from 'node:fs';

const folders = ['{packages,services,clients}/*/src/**/*.test.ts', '{scripts,bench}/**/*.test.ts'];
const importsEngine = /from '(?:\.\.\/)+engines\//;

export const testsWithoutEngines = (): string[] =>
  globSync(folders, { exclude: (path) => path.includes('node_modules') }).filter(
    (file) => !importsEngine.test(readFileSync(file, 'utf8')),
  );

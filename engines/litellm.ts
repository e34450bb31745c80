// LiteLLM, the gateway for models that the bench compares with, in a Python environment of its own.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';

const version = '1.105.0';

const folder = async (): Promise<string> => join(await engineFolder('litellm'), version);

export const litellmProgram = async (): Promise<string> => join(await folder(), 'bin', 'litellm');

export const litellm: Installable = {
  name: 'litellm',
  async install() {
    if (existsSync(await litellmProgram())) return;
    requireDebianPackages('Python', ['python3', 'python3-venv'], ['/usr/bin/python3', '/usr/lib/python3.11/venv']);
    const target = await folder();
    // The programs of an environment name its path, so it is made at its place. What an interrupted one left is removed.
    await rm(target, { recursive: true, force: true });
    run('/usr/bin/python3', '-m', 'venv', target);
    run(join(target, 'bin', 'pip'), 'install', '--quiet', `litellm[proxy]==${version}`);
  },
};

const run = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });

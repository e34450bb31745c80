// Questions to the Docker Engine of the machine, by its own program.
import { z } from 'zod';
import type { RunProgram } from './run-program.ts';

/** Every container of the control plane has it, with the name of its service. */
const serviceLabel = 'berth.service';
/** Changes when a container has to be made again. */
const stateLabel = 'berth.state';

export interface ServiceContainer {
  readonly id: string;
  readonly service: string;
  readonly state: string;
  readonly isRunning: boolean;
}

const columns = `{{.ID}}\t{{.Label "${serviceLabel}"}}\t{{.Label "${stateLabel}"}}\t{{.State}}`;

export async function serviceContainers(run: RunProgram): Promise<ServiceContainer[]> {
  const output = await run('docker', ['ps', '--all', '--filter', `label=${serviceLabel}`, '--format', columns]);
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))
    .map(([id = '', service = '', state = '', status]) => ({ id, service, state, isRunning: status === 'running' }));
}

/** Time for an engine to write its data. */
const graceSeconds = 60;

export async function removeContainer(run: RunProgram, id: string): Promise<void> {
  await run('docker', ['stop', '--time', String(graceSeconds), id]);
  await run('docker', ['rm', '--force', '--volumes', id]);
}

/** How often Docker has started the program of a service again since its container was made. */
export async function restartsOf(run: RunProgram, service: string): Promise<number> {
  const filter = ['--all', '--quiet', '--filter', `label=${serviceLabel}=${service}`];
  const [id] = (await run('docker', ['ps', ...filter])).trim().split('\n').filter(Boolean);
  return id === undefined ? 0 : Number(await run('docker', ['inspect', '--format', '{{.RestartCount}}', id]));
}

export const hasImage = (run: RunProgram, name: string): Promise<boolean> =>
  run('docker', ['image', 'inspect', '--format', '{{.Id}}', name]).then(
    () => true,
    () => false,
  );

const EngineInfo = z.looseObject({
  LiveRestoreEnabled: z.boolean().default(false),
  Runtimes: z.record(z.string(), z.unknown()).nullish(),
});

export async function engineInfo(run: RunProgram): Promise<z.infer<typeof EngineInfo>> {
  return EngineInfo.parse(JSON.parse(await run('docker', ['info', '--format', '{{json .}}'], { timeoutSeconds: 30 })));
}

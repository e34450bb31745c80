// The reference page of the TypeScript client.
import { readTypescript } from './read-typescript.ts';
import { referencePage } from './reference-page.ts';

export const typescriptPage = (sources: Readonly<Record<string, string>>): string =>
  referencePage({
    title: 'TypeScript reference',
    language: 'ts',
    introduction: [
      'What programs import from `berth-sdk`. [Your first sandbox](../guides/first-sandbox.md) and [TypeScript](../guides/typescript.md) are the guides.',
      'Types of the management API, such as `Agent`, are exported by their names, and those of the API inside a sandbox as `guest`, such as `guest.Process`. The reference at `/docs` of a deployment describes their fields.',
    ],
    sections: {
      '.': 'Client',
      sandbox: 'Sandboxes',
      workloads: 'Agents and jobs',
      http: 'Errors',
      generated: 'Operations',
    },
    declared: readTypescript(sources),
  });

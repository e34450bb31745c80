import { isDeepStrictEqual } from 'node:util';
import type { RunnerRecord } from '../install/install-record.ts';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';
import { decideSettings, type SettingsDecision } from '../settings/decide-settings.ts';
import { proposeSettings } from '../settings/propose-settings.ts';
import type { Step } from '../steps/run-steps.ts';
import { hashOf } from '../up/write-settings.ts';
import type { JoinContext } from './join-context.ts';
import { runnerSettingsText } from './runner-settings.ts';

export const writeRunnerSettings: Step<JoinContext> = {
  name: 'settings',
  async isDone(context) {
    const { record, release } = context;
    const known = record();
    if (known === undefined || !isDeepStrictEqual(known, recordOf(context))) return false;
    return known.version === release.version && (await decide(context)).what === 'keep';
  },
  async run(context) {
    const { places, save } = context;
    const { what, wanted } = await decide(context);
    if (what === 'propose') await proposeSettings(context, wanted, {});
    const next = recordOf(context);
    // Before the file: an edited file and an unknown one are told apart by this hash.
    await save(what === 'write' ? { ...next, settingsHash: hashOf(wanted) } : next);
    if (what === 'write') await writeWholeFile(places.settings, wanted);
    return undefined;
  },
};

function recordOf({ record, choices, release, sandboxImage }: JoinContext): RunnerRecord {
  const known = record();
  const earlier = known?.kind === 'runner' ? known : undefined;
  const images = sandboxImage === undefined ? (earlier?.images ?? {}) : { BERTH_SANDBOX_IMAGE: sandboxImage };
  return { broughtImages: [], ...earlier, kind: 'runner', version: release.version, choices, images };
}

interface Decided {
  readonly what: SettingsDecision;
  readonly wanted: string;
}

async function decide({ places, record, choices }: JoinContext): Promise<Decided> {
  const known = record();
  const wanted = runnerSettingsText(choices, places);
  const found = await readIfThere(places.settings);
  const hasNewChoices = known === undefined || !isDeepStrictEqual(known.choices, choices);
  return { what: decideSettings({ found, wanted, writtenHash: known?.settingsHash, hasNewChoices }, hashOf), wanted };
}

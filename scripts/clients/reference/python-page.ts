// The reference page of the Python client, from its synchronous sources.
import { type PythonClass, readPython } from './read-python.ts';
import { type Declared, referencePage, refuseHidden } from './reference-page.ts';

const operations = 'operations';

/** Sources by name of the module, and the text that lists what programs import. */
export function pythonPage(sources: Readonly<Record<string, string>>, entry: string): string {
  const classes = Object.entries(sources).flatMap(([part, text]) => readPython(part, text));
  const exported = new Set([...entry.matchAll(/^ {4}"(\w+)",$/gm)].map(([, name]) => name));
  const surface: Declared[] = classes
    .filter(({ name }) => exported.has(name))
    .map((each) => ({ ...each, ...inherited(each, classes, exported) }));
  refuseHidden(surface, new Set(classes.flatMap(({ name }) => (exported.has(name) ? [] : [name]))));
  const methods = classes
    .filter(({ part }) => part === operations)
    .map((each) => ({ ...each, heading: 'class Berth' }));
  return referencePage({
    title: 'Python reference',
    language: 'python',
    introduction: [
      'What programs import from `berth_sdk`. [Your first sandbox](../guides/first-sandbox.md) and [Python](../guides/python.md) are the guides.',
      'This page has the synchronous client. Names of the asynchronous one begin with `Async`: `AsyncBerth`, `AsyncSandbox`, `AsyncTerminal`. Methods that send requests are awaited there, iterators are read by `async for`, and `close()` is `aclose()`.',
      'Types of the management API are in `management`, such as `management.Agent`, and those of the API inside a sandbox in `guest`, such as `guest.Process`. The reference at `/docs` of a deployment describes their fields.',
    ],
    sections: {
      berth: 'Client',
      ...{ sandbox: 'Sandboxes', process: 'Sandboxes', files: 'Sandboxes', terminal: 'Sandboxes', output: 'Sandboxes' },
      workloads: 'Agents and jobs',
      errors: 'Errors',
      [operations]: 'Operations',
    },
    declared: [...surface, ...methods],
  });
}

/** Members of bases that are not exported are shown where they are inherited. */
function inherited(
  { heading, part, bases, members }: PythonClass,
  all: readonly PythonClass[],
  exported: ReadonlySet<string | undefined>,
): Pick<Declared, 'heading' | 'members'> {
  const hidden = all.filter((each) => bases.includes(each.name) && !exported.has(each.name));
  const shown = bases.filter((base) => exported.has(base) || base === 'Exception');
  return {
    heading: `${heading}${shown.length === 0 ? '' : `(${shown.join(', ')})`}`,
    // Operations have a section of their own.
    members: [
      ...(part === operations ? [] : members),
      ...hidden.flatMap((each) => inherited(each, all, exported).members),
    ],
  };
}

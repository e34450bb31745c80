// Path of a trigger: requests to `/{workspace}/{path}` at the gateway reach it. Control-plane sheet 1.19.

const maxLength = 200;
const maxSegments = 4;
const segmentForm = /^[A-Za-z0-9._-]+$/;
const reservedSegments: ReadonlySet<string> = new Set(['agents', 'functions', 'sandboxes', 'models', 'jobs']);

/** Types of triggers whose paths have an effect, by the kind of their resource. */
export const pathTriggerTypes = {
  agent: ['http', 'http-async'],
  function: ['http'],
  job: ['http'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type TriggeredKind = keyof typeof pathTriggerTypes;

/** True for a first segment that other addresses of the gateway begin with. */
export const isReservedSegment = (segment: string): boolean => reservedSegments.has(segment) || segment.startsWith('-');

/** The form that is stored: a client may write one slash in front. */
export const plainTriggerPath = (text: string): string => (text.startsWith('/') ? text.slice(1) : text);

/** Reason why a path in its plain form cannot be used; undefined for a good one. */
export function triggerPathFault(path: string): string | undefined {
  if (path.length > maxLength) return `a path has at most ${maxLength} characters`;
  const segments = path.split('/');
  if (segments.length > maxSegments) return `a path has at most ${maxSegments} segments`;
  if (!segments.every((segment) => segmentForm.test(segment) && segment !== '.' && segment !== '..'))
    return 'a path has segments of letters, digits, dots, hyphens and underscores, for example "hooks/orders"';
  const [first = ''] = segments;
  if (isReservedSegment(first)) return `"${first}" is reserved as the first segment; begin the path with another word`;
  return undefined;
}

/**
 * Beginnings of the path of a request that may be the path of a trigger, shortest first. What follows them belongs to the
 * workload.
 */
export function possibleTriggerPaths(path: string): string[] {
  const segments = path.split('/').slice(0, maxSegments);
  return segments
    .map((_, index) => segments.slice(0, index + 1).join('/'))
    .filter((beginning) => triggerPathFault(beginning) === undefined);
}

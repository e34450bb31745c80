// Path of a trigger: requests to `/{workspace}/{path}` at the gateway reach it. Control-plane sheet 1.19.

const maxLength = 200;
const maxSegments = 4;
const segmentForm = /^[A-Za-z0-9._-]+$/;
const reservedSegments: ReadonlySet<string> = new Set(['agents', 'functions', 'sandboxes', 'models', 'jobs']);

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

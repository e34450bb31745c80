// Finds the endpoint of the provider that a request to a model means. Pure.
import type { Provider, ProviderEndpoint } from '@berth/contract';

export interface MatchedEndpoint {
  /** Key of the endpoint in the provider's list. */
  readonly template: string;
  readonly endpoint: ProviderEndpoint;
  /**
   * The provider's own path, with the query of the client. Before the query, names in braces stand for values of the
   * connection. `{model}` is only left there when `model` is undefined.
   */
  readonly path: string;
  /** Name at the place of `{model}`, as the client wrote it. */
  readonly model: string | undefined;
}

/** A name of a parameter stands for the rest of its segment, so it has no slash, and no colon, which ends it. */
const modelName = /^[\w.~@+-]+$/;

/**
 * Only these paths are compared. Servers disagree about empty segments, dot segments, escapes and backslashes, so a path with
 * them could reach another endpoint than the matched one. Braces are those of a template.
 */
const plainPath = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~@+:-]+)+$/;

export function matchEndpoint(provider: Provider, pathWithQuery: string): MatchedEndpoint | undefined {
  const queryAt = pathWithQuery.indexOf('?');
  const place = queryAt === -1 ? pathWithQuery : pathWithQuery.slice(0, queryAt);
  const query = queryAt === -1 ? '' : withoutKey(pathWithQuery.slice(queryAt));
  const found = place === '' || place === '/' ? firstEndpoint(provider) : namedEndpoint(provider, place);
  if (found === undefined) return undefined;
  const { template, endpoint, model } = found;
  return {
    template,
    endpoint,
    path: (model === undefined ? template : template.replace('{model}', model)) + query,
    model,
  };
}

type Found = Omit<MatchedEndpoint, 'path'>;

const endpointsOf = ({ endpoints }: Provider): Found[] =>
  Object.entries(endpoints).map(([template, endpoint]) => ({ template, endpoint, model: undefined }));

const firstEndpoint = (provider: Provider): Found | undefined => endpointsOf(provider)[0];

function namedEndpoint(provider: Provider, place: string): Found | undefined {
  if (!plainPath.test(place)) return undefined;
  const segments = segmentsOf(place);
  // Clients of one provider write a version that the paths of another have not, or have elsewhere.
  const withoutVersion = segments[0] === 'v1' ? segments.slice(1) : [];
  return closest(provider, segments) ?? closest(provider, withoutVersion);
}

/** The template with the fewest segments before those of the client: `/completions` is not `/chat/completions`. */
function closest(provider: Provider, segments: readonly string[]): Found | undefined {
  if (segments.length === 0) return undefined;
  return endpointsOf(provider)
    .flatMap((each) => endsWith(each, segments) ?? [])
    .sort((a, b) => segmentsOf(a.template).length - segmentsOf(b.template).length)[0];
}

function endsWith(found: Found, segments: readonly string[]): Found | undefined {
  const own = segmentsOf(found.template).slice(-segments.length);
  if (own.length < segments.length) return undefined;
  let { model } = found;
  for (const [at, segment] of segments.entries()) {
    if (own[at] === segment) continue;
    model = modelAt(own[at] ?? '', segment);
    if (model === undefined) return undefined;
  }
  return { ...found, model };
}

function modelAt(pattern: string, segment: string): string | undefined {
  const [before = '', after] = pattern.split('{model}');
  if (after === undefined || !segment.startsWith(before) || !segment.endsWith(after)) return undefined;
  const name = segment.slice(before.length, segment.length - after.length);
  return modelName.test(name) ? name : undefined;
}

const segmentsOf = (path: string): string[] => path.slice(1).split('/');

/** Some clients send their key in the query. It is the platform's, so the provider must not see it, however it is escaped. */
function withoutKey(query: string): string {
  const parameters = query.slice(1).split('&');
  const kept = parameters.filter((parameter) => !new URLSearchParams(parameter).has('key'));
  if (kept.length === parameters.length) return query;
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

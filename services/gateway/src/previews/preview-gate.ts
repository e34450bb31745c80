// Decides which callers may reach a preview (sandbox sheet 5.8, U-16, U-36). Rules:
// - Public: every caller. Private: callers with a token of this preview that has not expired. Otherwise 401.
// - Missing or ended preview: 404, or 401 for a caller with a token, because the token is no longer valid.
// - A state-changing request that shows its token only as a cookie must come from the preview's own pages. Otherwise
// 403.
// - Platform keys are no credential here. They are removed, so that no app ever sees one; any other Authorization
// belongs
//   to the app.
// - Browsers send a CORS preflight before they send a token, so the gateway answers OPTIONS: always for callers who are
// not
//   admitted, and for admitted callers when the preview adds headers to responses. A preflight never wakes a sandbox.
//   This also lets a page read that its session has ended.
import type { IncomingMessage } from 'node:http';
import { type Brand, headerNames, previewTokenParameter } from '@berth/contract';
import { browserHeaders } from '@berth/contract/guest';
import { hashSecret, isInventedPreviewToken } from '@berth/identity';
import type { Admitted } from '../access/admitted.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { lookupError } from '../errors/lookup-error.ts';
import {
  type PreviewCredential,
  previewCookie,
  previewCredentials,
  withoutPreviewToken,
} from '../http/preview-token.ts';
import { brandedNames, valuesOf } from '../http/raw-headers.ts';
import type { Preview } from '../routing/preview.ts';
import type { PreviewRoute } from '../routing/route.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import { isOfForeignPage } from './foreign-page.ts';
import { previewAnswerHeaders } from './preview-headers.ts';
import type { TokenLookup } from './token-lookup.ts';

export interface PreviewGateOptions {
  readonly cache: Pick<WorkloadCache, 'find'>;
  readonly lookUpToken: TokenLookup;
  readonly brand: Brand;
}

type PreviewRequest = Pick<IncomingMessage, 'method' | 'rawHeaders'>;
type OnAnswerHeaders = (answerHeaders: Readonly<Record<string, string>>) => void;

export interface PreviewGate {
  /**
   * Throws a GatewayError for a caller who may not pass. Calls `onAnswerHeaders` first, with the headers that every response has
   * to carry. The gateway answers a preflight itself, with these headers alone.
   */
  admit(route: PreviewRoute, asked: PreviewRequest, onAnswerHeaders: OnAnswerHeaders): Promise<Admitted | 'preflight'>;
}

/** Maximum database lookups per request: each unknown token costs one. */
const maxTokenLookups = 5;

interface ValidToken extends PreviewCredential {
  readonly endsInMs: number;
}

export function createPreviewGate({ cache, lookUpToken, brand }: PreviewGateOptions): PreviewGate {
  async function lookUp({ uid }: Preview, hash: Buffer): Promise<number | undefined> {
    try {
      return await lookUpToken(uid, hash);
    } catch (error) {
      throw lookupError(error);
    }
  }

  async function firstValid(preview: Preview, shown: readonly PreviewCredential[]): Promise<ValidToken | undefined> {
    let questions = 0;
    const possible = shown.filter(({ value }) => !isInventedPreviewToken(value));
    for (const { credential, hash, endsAt } of inOrder(preview, possible)) {
      if (endsAt === undefined) questions += 1;
      if (questions > maxTokenLookups) return undefined;
      const left = endsAt === undefined ? await lookUp(preview, hash) : endsAt - performance.now();
      if (left !== undefined && left > 0) return { ...credential, endsInMs: left };
    }
    return undefined;
  }

  const refusalOf = (isShown: boolean): GatewayError =>
    new GatewayError(isShown ? 'AUTHENTICATION_FAILED' : 'AUTHENTICATION_REQUIRED', {
      message: isShown
        ? 'The token is none of this preview, or has expired.'
        : 'The preview is private, and no token was given.',
      action: `Send a token of the preview as ${headerNames(brand).previewToken}, or in the address as ${previewTokenParameter(brand)}.`,
      doNot: 'Do not retry without another token.',
    });

  // Created once: in a flood, the stack trace of every refusal would cost more than the refusal.
  const refusals = { shown: refusalOf(true), none: refusalOf(false) };

  const foreignPage = (): GatewayError =>
    new GatewayError('FORBIDDEN', {
      message:
        'The request comes from a page of another origin, and its token is only in the cookie that browsers add by themselves.',
      action: `Send the token as ${headerNames(brand).previewToken}, or in the address as ${previewTokenParameter(brand)}; or name the page's origin as Access-Control-Allow-Origin in responseHeaders of the preview.`,
      doNot: 'Do not retry with the cookie alone.',
    });

  /**
   * A page whose preview has ended receives a readable 401, so that it learns that its session is over. A custom domain
   * that has no preview (`region` is empty) gets the plain 404.
   */
  function refuseMissing(
    route: PreviewRoute,
    { method, rawHeaders }: PreviewRequest,
    onAnswerHeaders: OnAnswerHeaders,
  ): 'preflight' {
    if (previewCredentials(rawHeaders, route.path, brand).length === 0 && method !== 'OPTIONS') throw missing(route);
    if (route.region === '') throw missing(route);
    onAnswerHeaders(browserHeaders(brand));
    if (method === 'OPTIONS') return 'preflight';
    throw refusals.shown;
  }

  return {
    async admit(route, asked, onAnswerHeaders) {
      const { method, rawHeaders } = asked;
      const workload = await cache.find(route);
      const preview = workload?.preview;
      if (workload === undefined || preview === undefined) return refuseMissing(route, asked, onAnswerHeaders);
      const answerHeaders = previewAnswerHeaders(preview, brand);
      onAnswerHeaders(answerHeaders);
      const shown = preview.isPublic ? [] : previewCredentials(rawHeaders, route.path, brand);
      const token = await firstValid(preview, shown);
      const isAdmitted = preview.isPublic || token !== undefined;
      if (method === 'OPTIONS' && (!isAdmitted || Object.keys(answerHeaders).length > 0)) return 'preflight';
      if (!isAdmitted) throw shown.length > 0 ? refusals.shown : refusals.none;
      if (token?.from === 'cookie' && isOfForeignPage({ method, rawHeaders, ...pagesOf(preview) })) throw foreignPage();
      const isNew = token !== undefined && token.from !== 'cookie';
      return {
        workload,
        principal: undefined,
        consumed: holdsKey(rawHeaders, brand) ? 'authorization' : undefined,
        preview: {
          preview,
          route: { ...route, path: withoutPreviewToken(route.path, brand) },
          cookie: isNew ? previewCookie(token.value, token.endsInMs, brand) : undefined,
        },
      };
    },
  };
}

/**
 * An origin that the owner allows to read responses may also send state-changing requests. `*` does not count as such a
 * list.
 */
const pagesOf = ({ port, responseHeaders }: Preview) => ({
  isApi: port === undefined,
  listed: Object.entries(responseHeaders)
    .filter(([name, value]) => name.toLowerCase() === 'access-control-allow-origin' && value !== '*')
    .map(([, value]) => value),
});

/**
 * Order of checking: tokens in cookies last, and known cookies before unknown ones. A script of a neighbour can set any
 * number of cookies for the parent domain, and false ones must not crowd out the visitor's own.
 */
function inOrder({ tokens }: Preview, shown: readonly PreviewCredential[]) {
  const read = shown.map((credential) => {
    const hash = hashSecret(credential.value);
    return { credential, hash, endsAt: tokens.get(hash.toString('base64')) };
  });
  const rank = ({ credential, endsAt }: (typeof read)[number]): number =>
    credential.from !== 'cookie' ? 0 : endsAt === undefined ? 2 : 1;
  return read.toSorted((one, other) => rank(one) - rank(other));
}

const missing = ({ region }: PreviewRoute): GatewayError =>
  region === ''
    ? new GatewayError('ROUTE_NOT_FOUND')
    : new GatewayError('WORKLOAD_NOT_FOUND', {
        message: 'There is no such preview, or it is over, or its sandbox is.',
        action: 'Take the address from spec.url of the preview.',
      });

const holdsKey = (rawHeaders: readonly string[], brand: Brand): boolean =>
  valuesOf(rawHeaders, 'authorization').some((value) =>
    value.replace(/^Bearer +/i, '').startsWith(brandedNames(brand).keyPrefix),
  );

// Who may reach a preview (sandbox sheet 5.8, U-16, U-36). Rules:
// - Public: everyone. Private: who shows a token of this preview that has not expired. Else 401.
// - No such preview, or it is over: 404, and 401 to whoever shows a token, which is none any more.
// - Keys of ours are no credential here. They are taken out, so that no app ever sees one; any other Authorization is the app's.
// - A browser asks before it sends a token, so OPTIONS is answered here: to strangers always, to others where the preview says
//   which headers answers have. Nothing is woken for it. A page whose session is over can so read that it is.
import type { IncomingMessage } from 'node:http';
import { type Brand, headerNames, previewTokenParameter } from '@berth/contract';
import { browserHeaders } from '@berth/contract/guest';
import { answerInTime } from '@berth/database';
import { hashSecret, isInventedPreviewToken } from '@berth/identity';
import { GatewayError } from '../errors.ts';
import type { Catalogue } from '../routing/catalogue.ts';
import type { Preview } from '../routing/preview.ts';
import type { NamedPreview } from '../routing/route.ts';
import type { Admitted } from './admitted.ts';
import type { LookUpToken } from './look-up-token.ts';
import { lookupFault } from './lookup-fault.ts';
import {
  type PreviewCredential,
  previewCookie,
  previewCredentials,
  withoutPreviewToken,
} from './preview-credential.ts';
import { previewAnswerHeaders } from './preview-headers.ts';
import { brandedNames, valuesOf } from './raw-headers.ts';

export interface PreviewGateOptions {
  readonly catalogue: Pick<Catalogue, 'find'>;
  readonly lookUpToken: LookUpToken;
  readonly brand: Brand;
}

type Asked = Pick<IncomingMessage, 'method' | 'rawHeaders'>;
type Dress = (answerHeaders: Readonly<Record<string, string>>) => void;

export interface PreviewGate {
  /**
   * Throws a GatewayError for everyone who may not pass; `dress` hears first what every answer has to carry.
   * A preflight is answered by the gateway, with that alone.
   */
  admit(named: NamedPreview, asked: Asked, dress: Dress): Promise<Admitted | 'preflight'>;
}

interface Shown extends PreviewCredential {
  readonly endsInMs: number;
}

export function createPreviewGate({ catalogue, lookUpToken, brand }: PreviewGateOptions): PreviewGate {
  async function endsInMs({ uid, tokens }: Preview, value: string): Promise<number | undefined> {
    if (isInventedPreviewToken(value)) return undefined;
    const hash = hashSecret(value);
    const known = tokens.get(hash.toString('base64'));
    if (known !== undefined) return known > performance.now() ? known - performance.now() : undefined;
    try {
      return await answerInTime(lookUpToken(uid, hash), { hasStandIn: false });
    } catch (error) {
      throw lookupFault(error);
    }
  }

  async function firstValid(preview: Preview, shown: readonly PreviewCredential[]): Promise<Shown | undefined> {
    for (const credential of shown) {
      const left = await endsInMs(preview, credential.value);
      if (left !== undefined) return { ...credential, endsInMs: left };
    }
    return undefined;
  }

  const refusal = (isShown: boolean): GatewayError =>
    new GatewayError(isShown ? 'AUTHENTICATION_FAILED' : 'AUTHENTICATION_REQUIRED', {
      message: isShown
        ? 'The token is none of this preview, or has expired.'
        : 'The preview is private, and no token was given.',
      action: `Send a token of the preview as ${headerNames(brand).previewToken}, or in the address as ${previewTokenParameter(brand)}.`,
      doNot: 'Do not retry without another token.',
    });

  /** Where a page's session was, it still learns that it is over; of a domain that is nobody's we know nothing at all. */
  function refuseMissing(named: NamedPreview, { method, rawHeaders }: Asked, dress: Dress): 'preflight' {
    if (previewCredentials(rawHeaders, named.path, brand).length === 0 && method !== 'OPTIONS') throw missing(named);
    if (named.region === '') throw missing(named);
    dress(browserHeaders(brand));
    if (method === 'OPTIONS') return 'preflight';
    throw refusal(true);
  }

  return {
    async admit(named, asked, dress) {
      const { method, rawHeaders } = asked;
      const workload = await catalogue.find(named);
      const preview = workload?.preview;
      if (workload === undefined || preview === undefined) return refuseMissing(named, asked, dress);
      const answerHeaders = previewAnswerHeaders(preview, brand);
      dress(answerHeaders);
      const shown = preview.isPublic ? [] : previewCredentials(rawHeaders, named.path, brand);
      const token = await firstValid(preview, shown);
      const isAdmitted = preview.isPublic || token !== undefined;
      if (method === 'OPTIONS' && (!isAdmitted || Object.keys(answerHeaders).length > 0)) return 'preflight';
      if (!isAdmitted) throw refusal(shown.length > 0);
      const isNew = token !== undefined && token.from !== 'cookie';
      return {
        workload,
        principal: undefined,
        consumed: holdsKey(rawHeaders, brand) ? 'authorization' : undefined,
        preview: {
          preview,
          named: { ...named, path: withoutPreviewToken(named.path, brand) },
          cookie: isNew ? previewCookie(token.value, token.endsInMs, brand) : undefined,
        },
      };
    },
  };
}

const missing = ({ region }: NamedPreview): GatewayError =>
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

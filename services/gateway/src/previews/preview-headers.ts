import type { Brand } from '@berth/contract';
import { browserHeaders } from '@berth/contract/guest';
import { type HeaderMap, mergeHeaders } from '../http/header-map.ts';
import type { Preview } from '../routing/preview.ts';

/**
 * Headers for every response, also for those that the gateway makes. Pages of every origin may read responses of a
 * sandbox's API.
 */
export const previewAnswerHeaders = ({ port, responseHeaders }: Preview, brand: Brand): HeaderMap =>
  port === undefined ? mergeHeaders(browserHeaders(brand), responseHeaders) : responseHeaders;

const gzipForm = /^\s*(?:x-)?gzip\s*(?:;\s*q=([\d.]+)\s*)?$/i;

/** Reads an Accept-Encoding header. A wildcard is not taken for gzip: few clients that send it can read gzip. */
export const acceptsGzip = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((coding) => {
    const match = gzipForm.exec(coding);
    return match !== null && Number(match[1] ?? '1') > 0;
  });

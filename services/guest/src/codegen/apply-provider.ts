// Chooses the provider whose model merges an edit into a file. Any endpoint with OpenAI's chat completions works; two
// vendors of models made for this task document such an endpoint, so their key alone is enough.

export type ApplyProvider = {
  name: string;
  /** Address of the chat completions endpoint. */
  url: string;
  key: string | undefined;
  model: string;
  /** A general model needs a prompt that explains the task; a model made for the task must not get one. */
  isGeneral: boolean;
};

const defaultRelaceUrl = 'https://instantapply.endpoint.relace.run/v1/apply';
const defaultMorphUrl = 'https://api.morphllm.com/v1';

export const applyVariablesText =
  'SANDBOX_APPLY_URL (with SANDBOX_APPLY_KEY and SANDBOX_APPLY_MODEL), RELACE_API_KEY or MORPH_API_KEY';

/** The operator's own endpoint comes first, then the order that the interface names. */
export function applyProviderOf(environment: NodeJS.ProcessEnv): ApplyProvider | undefined {
  const { SANDBOX_APPLY_URL, SANDBOX_APPLY_KEY, SANDBOX_APPLY_MODEL } = environment;
  const { RELACE_API_KEY, RELACE_BASE_URL: relaceBaseUrl, MORPH_API_KEY } = environment;
  if (SANDBOX_APPLY_URL) {
    const model = SANDBOX_APPLY_MODEL || 'auto';
    return {
      name: 'custom',
      url: completionsUrl(SANDBOX_APPLY_URL),
      key: SANDBOX_APPLY_KEY || undefined,
      model,
      isGeneral: true,
    };
  }
  if (RELACE_API_KEY) {
    const url = completionsUrl(relaceBaseUrl || defaultRelaceUrl);
    return { name: 'relace', url, key: RELACE_API_KEY, model: 'auto', isGeneral: false };
  }
  if (MORPH_API_KEY) {
    const url = completionsUrl(defaultMorphUrl);
    return { name: 'morph', url, key: MORPH_API_KEY, model: 'morph-v3-fast', isGeneral: false };
  }
  return undefined;
}

/** Users configure either the base or the whole address. */
function completionsUrl(base: string): string {
  const trimmed = base.replace(/\/+$/, '');
  return trimmed.endsWith('/chat/completions') ? trimmed : `${trimmed}/chat/completions`;
}

// Errors of reading the models of a provider. None repeats what the provider said: it may hold the key.
import { defineErrors } from '@berth/contract';

export const providerErrors = defineErrors({
  no_model_list: {
    status: 400,
    message: '{provider} has no list of models. Name the model in spec.runtime.model as the provider does.',
  },
  provider_key_missing: {
    status: 400,
    message:
      'The connection {connection} has no usable key of {provider}. Set spec.secret.API_KEY of it to the key, in visible ASCII characters.',
  },
  provider_address: {
    status: 400,
    message:
      'The connection {connection} has no usable address: {reason} Set spec.config.BASE_URL of it to an http or https address on the internet, without user, query and fragment.',
  },
  provider_key_refused: {
    status: 400,
    message:
      '{provider} refused the key of the connection {connection} with status {status}. Check at the provider that the key is valid and may list models, and change spec.secret of the connection.',
  },
  provider_not_reached: {
    status: 503,
    message:
      '{provider} gave no answer: {reason} Check the address of the connection {connection} if it has one of its own, and try again in a moment.',
  },
  provider_answer: {
    status: 503,
    message:
      '{provider} answered with status {status} and no list of models. Check the key of the connection {connection}, and its address if it has one of its own, or try again in a moment.',
  },
});

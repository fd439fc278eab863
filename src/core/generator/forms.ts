/** How a language model is named on a command line; apart, so that a help text loads nothing else. */

export const MODEL_FORMS =
  'ollama:MODEL (ollama:URL#MODEL), openai:URL#MODEL, or transformers:MODEL without a server';

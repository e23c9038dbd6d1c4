/** Added to the prompt of a model that is heard, not read. */
export const SPOKEN_MANNER =
  'This is a spoken conversation: answer in short, plain sentences, without Markdown or lists.'

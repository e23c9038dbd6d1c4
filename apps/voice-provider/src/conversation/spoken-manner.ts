/** What a model is told that is heard, not read; by it the offline model knows so too. */
export const SPOKEN_MANNER =
  'This is a spoken conversation: answer in short, plain sentences, without Markdown or lists.'

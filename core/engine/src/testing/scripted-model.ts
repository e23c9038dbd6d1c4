import type { ModelEvent, ModelPort, ModelRequest } from '../ports/model.ts'

export type Script =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>)

/** A model that says what it is told to, one script a step, and keeps what it was asked. */
export function scriptedModel(
  scripts: readonly Script[],
  modelId = 'scripted',
  given: Pick<ModelPort, 'contextWindow' | 'price'> = {},
) {
  const asked: ModelRequest[] = []
  const model: ModelPort = {
    provider: 'test',
    modelId,
    ...given,
    async *stream(request, signal) {
      const script = scripts[asked.length]
      asked.push(request)
      if (!script) throw new Error(`the script has ${scripts.length} steps, and this is one more`)
      yield* typeof script === 'function' ? script(request, signal) : script
    },
  }
  return { ...model, asked }
}

/** The script of a plain answer, a word a delta. */
export function answering(text: string): readonly ModelEvent[] {
  const words = text.match(/\S+\s*/g) ?? []
  return [
    ...words.map((word): ModelEvent => ({ type: 'text', text: word })),
    { type: 'finish', reason: 'completed', usage: { inputTokens: 10, outputTokens: words.length } },
  ]
}

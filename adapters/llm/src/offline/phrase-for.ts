import { stemsOf } from './stems-of.ts'

interface Wanted {
  /** Of the parameter. */
  readonly name: string
  /** The words of its tool: what a question shares with them is not the value. */
  readonly about: string
}

/** The words of a question that a tool's one text is likely meant to be. */
export function phraseFor({ name, about }: Wanted, question: string): string | undefined {
  const quoted = /["“”]([^"“”]{1,100})["“”]/.exec(question)?.[1]
  if (quoted !== undefined) return quoted
  const runs = runsOf(question, new Set([...stemsOf(about), ...stemsOf(name.replaceAll('_', ' '))]))
  if (/(?:^|_|-)(?:id|number|code|reference|no)$|Id$/.test(name))
    return runs.flatMap(({ words }) => words).find((word) => /\d/.test(word))
  const run = runs.findLast(({ isPlaced }) => isPlaced) ?? runs.at(-1)
  return run?.words.join(' ')
}

interface Run {
  readonly words: string[]
  /** A preposition stands before it. */
  readonly isPlaced: boolean
}

const PREPOSITION = /^(?:in|for|of|at|about|to|on|from|near|with|called|named)$/i
const BESIDE_THE_POINT =
  /^(?:like|today|tomorrow|tonight|yesterday|now|right|please|currently|want|need|check|look|find|hello|hi|hey|okay|up|called|named)$/i

/** Words that stand together, and say something that the tool's own words do not. */
function runsOf(question: string, known: ReadonlySet<string>): readonly Run[] {
  const runs: Run[] = []
  let open: Run | undefined
  let before = ''
  for (const [word] of question.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}'’-]*[\p{L}\p{N}])?/gu)) {
    const stems = stemsOf(word)
    const counts = !BESIDE_THE_POINT.test(word) && stems.length > 0 && !stems.every((stem) => known.has(stem))
    if (!counts) open = undefined
    else if (open) open.words.push(word)
    else {
      // An article may stand between: "for the Oslo office".
      open = { words: [word], isPlaced: PREPOSITION.test(before) }
      runs.push(open)
    }
    if (!/^(?:the|a|an|my|your|our)$/i.test(word)) before = word
  }
  return runs
}

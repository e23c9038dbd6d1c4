import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fence, splitIntoWords } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import { parseJson } from '../json.ts'

/** Criteria for a judgement. */
export interface JudgeCriteria {
  readonly condition: string
  readonly goodAnswers: readonly string[]
  readonly badAnswers: readonly string[]
}

/** The agent's answer, with the whole dialogue as context. */
export interface JudgedAnswer {
  readonly answer: string
  readonly dialogue: string
}

export interface JudgeVerdict {
  readonly result: 'success' | 'failure' | 'unknown'
  readonly reason: string
}

export const toSuccess = (reason: string): JudgeVerdict => ({ result: 'success', reason })
export const toFailure = (reason: string): JudgeVerdict => ({ result: 'failure', reason })
export const toUnknown = (reason: string): JudgeVerdict => ({ result: 'unknown', reason })

export type Judge = (
  criteria: JudgeCriteria,
  evidence: JudgedAnswer,
  signal: AbortSignal,
) => Promise<JudgeVerdict>

type ModelTextResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

const MAX_TOKENS = 1_024

/** Asks a model one question outside any conversation. */
export async function askForText(
  model: ModelPort,
  { system, question }: { readonly system: string; readonly question: string },
  signal: AbortSignal,
): Promise<ModelTextResult> {
  const request = {
    system,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question }] }],
    tools: [],
    maxTokens: MAX_TOKENS,
    temperature: 0,
  }
  let text = ''
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text
    if (event.type === 'failure') return { kind: 'failed', reason: event.error.message }
  }
  if (signal.aborted) return { kind: 'failed', reason: 'The test was cancelled or took too long.' }
  return { kind: 'text', text: text.trim() }
}

/** Quoted texts, with the part of the sentence before them. */
interface QuotedTexts {
  /** Several texts if “or” joins them. */
  readonly texts: readonly string[]
  readonly before: string
}

const QUOTES = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/g
const JOINED = /^,? or $/i

export function findQuotes(text: string): readonly QuotedTexts[] {
  const found: QuotedTexts[] = []
  let end = 0
  for (const match of text.matchAll(QUOTES)) {
    const quoted = match
      .slice(1)
      .find((one) => one !== undefined)
      ?.trim()
    if (!quoted) continue
    const last = found.at(-1)
    const before = text.slice(0, match.index)
    if (last && JOINED.test(before.slice(end))) {
      found[found.length - 1] = { ...last, texts: [...last.texts, quoted] }
    } else {
      found.push({ texts: [quoted], before: before.slice(before.search(/[^.!?;]*$/)) })
    }
    end = match.index + match[0].length
  }
  return found
}

/** Share of an example's key words that makes an answer similar. */
const ALIKE = 0.5

/**
 * Judges without a model, deterministically. Quoted texts in the condition must be said, or must not be said if the words
 * before them deny it; “gives no number” forbids digits. Then the most similar example decides: the longer one if two
 * match fully, a bad one on a tie. Without any evidence the result is unknown, which does not pass.
 */
export function judgeByWords(
  { condition, goodAnswers, badAnswers }: JudgeCriteria,
  answer: string,
): JudgeVerdict {
  const answerWords = splitWords(answer)
  if (answerWords.length === 0) return toFailure('The agent gave no answer.')

  const quotes = findQuotes(condition)
  const broken = quotes
    .map((quote) => findQuoteFault(quote, answerWords))
    .find((fault) => fault !== undefined)
  if (broken !== undefined) return toFailure(broken)

  const number = NO_NUMBER.test(condition) ? /\d+/.exec(answer) : null
  if (number) return toFailure(`The answer contains the number “${number[0]}”, which the condition forbids.`)

  const good = findClosestExample(goodAnswers, answerWords)
  const bad = findClosestExample(badAnswers, answerWords)
  if (bad.share >= ALIKE && !isCloser(good, bad))
    return toFailure(`The answer is like the bad example “${bad.example}”.`)
  if (good.share >= ALIKE) return toSuccess(`The answer is like the good example “${good.example}”.`)
  if (goodAnswers.length === 0 && quotes.length > 0) return toSuccess('All quoted texts meet the condition.')
  return toUnknown(CANNOT_TELL)
}

const CANNOT_TELL =
  'Without a model, answers are compared by words, and no words matched. Put the required text into quotation marks in ' +
  'the condition, add examples with the same words, or configure the key of a provider.'

/** The one rule about numbers that needs no model. */
const NO_NUMBER = /\bgives no number\b/i

const FORBIDS =
  /\b(not|never|no|nor|neither|without|avoids?|refuses?|cannot|isn['’]t|doesn['’]t|don['’]t|won['’]t|must ?n['’]t)\b/i

const isForbidden = (before: string): boolean => FORBIDS.test(before)

/** Of texts joined by “or”, one must be said, or none if forbidden. */
function findQuoteFault({ texts, before }: QuotedTexts, answerWords: readonly string[]): string | undefined {
  const found = texts.find((text) => isSaid(text, answerWords))
  if (isForbidden(before)) return found === undefined ? undefined : `“${found}” was said and must not be.`
  return found === undefined ? `${texts.map((text) => `“${text}”`).join(' or ')} was not said.` : undefined
}

/** Whole words in the same order. */
function isSaid(text: string, answerWords: readonly string[]): boolean {
  const words = splitWords(text)
  return answerWords.some((_, at) => words.every((word, offset) => answerWords[at + offset] === word))
}

interface ExampleLikeness {
  readonly example: string
  /** Share of the example's key words. */
  readonly share: number
  readonly shared: number
}

const isCloser = (one: ExampleLikeness, other: ExampleLikeness): boolean =>
  one.share > other.share || (one.share === other.share && one.shared > other.shared)

function findClosestExample(examples: readonly string[], answerWords: readonly string[]): ExampleLikeness {
  const spoken = new Set(answerWords)
  const likenesses = examples.map((example) => {
    const words = findKeyWords(example)
    const shared = words.filter((word) => spoken.has(word)).length
    return { example, share: words.length === 0 ? 0 : shared / words.length, shared }
  })
  const none: ExampleLikeness = { example: '', share: 0, shared: 0 }
  return likenesses.reduce((best, next) => (isCloser(next, best) ? next : best), none)
}

/** Stop words. Negations are not among them, because they change the meaning. */
const STOP_WORDS = new Set(
  (
    'a about also am an and any are as at be been but by can could did do does for from had has have he her his i if in ' +
    'is it its just me my of on or our she so some than that the their them then there these they this those to us was ' +
    'we were what when where which who will with would you your'
  ).split(' '),
)

function findKeyWords(text: string): readonly string[] {
  const words = [...new Set(splitWords(text))]
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

const splitWords = (text: string): readonly string[] => splitIntoWords(text.replaceAll('’', "'"))

/** Uses the agent's model; offline, compares words. */
export const createJudge = (model: ModelPort): Judge =>
  model.provider === 'offline'
    ? async (criteria, { answer }) => judgeByWords(criteria, answer)
    : createModelJudge(model)

const SYSTEM =
  'You judge whether an agent did what a condition asks. You are given the condition, examples, and the conversation as ' +
  'data. Answer with one JSON object and nothing else: {"result": "success" | "failure" | "unknown", "reason": "one ' +
  'sentence"}. Say "unknown" if the conversation does not show it.'

/** Asks a model for a verdict. Any other reply is unknown. */
const createModelJudge =
  (model: ModelPort): Judge =>
  async (criteria, { dialogue }, signal) => {
    const question = `${formatCriteria(criteria)}\n\n${fence(dialogue, 'the conversation', sha256)}`
    const reply = await askForText(model, { system: SYSTEM, question }, signal)
    if (reply.kind === 'failed') return toUnknown(`The judge failed: ${reply.reason}`)
    return parseVerdict(reply.text) ?? toUnknown(`The judge gave no verdict: ${reply.text.slice(0, 200)}`)
  }

const formatCriteria = ({ condition, goodAnswers, badAnswers }: JudgeCriteria): string =>
  [
    `Condition: ${condition || 'the answer is like the good examples and unlike the bad ones'}`,
    ...goodAnswers.map((answer) => `A good answer: ${answer}`),
    ...badAnswers.map((answer) => `A bad answer: ${answer}`),
  ].join('\n')

const JudgeReply = z.object({
  result: z.enum(['success', 'failure', 'unknown']),
  reason: z.string().default(''),
})

const parseVerdict = (text: string): JudgeVerdict | undefined =>
  JudgeReply.safeParse(parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).data

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

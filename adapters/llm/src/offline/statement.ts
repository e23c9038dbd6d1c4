import { MONTHS, splitSentences } from '@parley/contracts'
import type { ToolResultText } from './answer-material.ts'

/** A sentence that may be part of an answer, with its context. */
export interface Statement {
  readonly text: string
  readonly title: string | undefined
  /** The speaker, if the source names one. */
  readonly speaker: string | undefined
  /** The sentence before it, if that may be part of an answer too. */
  readonly before: string | undefined
  /** Texts around it that show its subject, from the nearest to the farthest. */
  readonly context: {
    /** The question that it answers. */
    readonly question: string
    readonly previousSentence: string
    readonly headings: string
    readonly wholeText: string
  }
  /** For a correction: the beginnings of the statements that it replaces. */
  readonly corrects?: readonly string[] | undefined
  /** Its source consists of this statement alone. */
  readonly isFact: boolean
  /** The rank of its source among the search results. */
  readonly rank: number
}

/** The statements of a text: no questions, headings, salutations, closings or fragments. */
export function extractStatements(
  { text, title, speaker, corrects }: ToolResultText,
  rank: number,
  creator?: string,
): readonly Statement[] {
  const statements: Statement[] = []
  const blocks = splitBlocks(text, creator)
  let heading = ''
  let asked = ''
  for (const block of blocks) {
    const sentences = splitLinesIntoSentences(block.text)
    if (block.kind === 'heading') heading = block.text
    if (block.kind === 'heading' || isInterviewer(block)) {
      asked = block.kind === 'heading' ? '' : block.text
      continue
    }
    let before: string | undefined
    let question = asked
    for (const [index, sentence] of sentences.entries()) {
      if (isQuestion(sentence)) question = sentence
      const isUsable = isStatement(sentence, { isLast: index === sentences.length - 1, block, blocks })
      if (isUsable)
        statements.push({
          text: sentence,
          title,
          speaker: block.speaker ?? speaker,
          before,
          context: {
            question: corrects?.join(' ') ?? (index < ANSWER_LENGTH ? question : ''),
            previousSentence: sentences[index - 1] ?? '',
            headings: `${heading} ${title ?? ''}`,
            wholeText: text,
          },
          corrects,
          isFact: corrects !== undefined || (blocks.length === 1 && sentences.length === 1),
          rank,
        })
      before = isUsable ? sentence : undefined
    }
    const last = sentences.at(-1) ?? ''
    asked = block.kind === 'turn' && isQuestion(last) ? last : ''
  }
  return statements
}

/** The sentences after a question that count as its answer. */
const ANSWER_LENGTH = 4

const isInterviewer = ({ speaker }: TextBlock): boolean =>
  speaker !== undefined && /^(?:interviewer|question\b.*|q|moderator)$/i.test(speaker)

/** In chats, many questions end without a question mark. */
const isQuestion = (sentence: string): boolean =>
  sentence.endsWith('?') || (!/[.!…]["'”’)]*$/.test(sentence) && UNMARKED_QUESTION.test(sentence))

const UNMARKED_QUESTION =
  /^(?:who|whom|what|when|where|why|how|which|did|do|does|is|are|can|could|shall|will|would)\b(?!.*:)|n['’]t (?:he|she|it|you|they|we|i)$/i

interface SentencePlace {
  readonly isLast: boolean
  readonly block: TextBlock
  readonly blocks: readonly TextBlock[]
}

function isStatement(sentence: string, { isLast, block, blocks }: SentencePlace): boolean {
  if (
    isQuestion(sentence) ||
    sentence.length > MAX_LENGTH ||
    (!/^["'“‘(£$€]?[\p{Lu}\p{N}\p{Lo}]/u.test(sentence) && blocks.length > 1)
  )
    return false
  if (SALUTATION.test(sentence) || TO_A_MODEL.test(sentence)) return false
  const isWhole =
    /[.!…]["'”’)]*$/.test(sentence) || (isLast && (block.kind !== 'paragraph' || blocks.length === 1))
  return isWhole && /[\p{L}\p{N}]\S*\s+\S/u.test(sentence)
}

const MAX_LENGTH = 600
const SALUTATION =
  /^(?:(?:my )?dear(?:est)?|hello|hi|ladies and gentlemen|to (?:the members|whom)|yours|your (?:loving )?\p{L}+|with (?:love|respect|kind)|(?:best|kind) (?:wishes|regards)|sincerely)\b[^.!?]{0,60},?$/iu
/** Instructions to a model, as in hostile sources. */
const TO_A_MODEL =
  /\b(?:ignore (?:all|any|the|previous)|previous instructions|system prompt|ai assistants?|you are now|do not mention this|system:)/i

/** Splits every line into sentences, because lines of a chat are separate. */
const splitLinesIntoSentences = (text: string): readonly string[] => text.split('\n').flatMap(splitSentences)

interface TextBlock {
  /** A turn belongs to one of several speakers. */
  readonly kind: 'heading' | 'entry' | 'paragraph' | 'turn'
  readonly text: string
  readonly speaker?: string
}

/** Splits a text into blocks without Markdown. In a dialogue, a line that begins with a name is a turn. */
function splitBlocks(text: string, creator?: string): readonly TextBlock[] {
  const lines = text.split('\n')
  const speakers = findSpeakers(lines, creator)
  const blocks: TextBlock[] = []
  let open: { kind: TextBlock['kind']; lines: string[]; speaker?: string } | undefined
  const close = () => {
    if (open) blocks.push(toBlock(open))
    open = undefined
  }
  for (const line of lines) {
    const turn = TURN.exec(line)
    const speaker = turn && speakers.has(turn[1] ?? '') ? turn[1] : undefined
    if (line.trim() === '') close()
    else if (speaker !== undefined) {
      close()
      open = { kind: 'turn', lines: [turn?.[2] ?? ''], speaker }
    } else if (HEADING.test(line) || /^\*[^*]+\*$/.test(line.trim())) {
      close()
      blocks.push({ kind: 'heading', text: removeMarkdown(line.replace(HEADING, '')) })
    } else if (ENTRY.test(line)) {
      close()
      open = { kind: 'entry', lines: [line.replace(ENTRY, '')] }
    } else if (open) open.lines.push(line)
    else open = { kind: 'paragraph', lines: [line] }
  }
  close()
  return blocks.length === 1 ? blocks : blocks.map(toHeadingIfUnended)
}

const TURN = /^((?:\p{Lu}[\p{L}\p{M}.'’-]*)(?: \p{L}[\p{L}\p{M}.'’-]*){0,4}): (\S.*)$/u
export const HEADING = /^[ \t]*#{1,6}[ \t]+/
export const ENTRY = /^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+/

/** The speakers of a dialogue, which is one if somebody speaks twice, or the creator or an interviewer speaks. */
function findSpeakers(lines: readonly string[], creator = ''): ReadonlySet<string> {
  const names = lines.flatMap((line) => TURN.exec(line)?.[1] ?? [])
  const isDialogue = names.some(
    (name, index) =>
      isCreator(name, creator) || /^(?:interviewer|question)\b/i.test(name) || names.indexOf(name) !== index,
  )
  return new Set(isDialogue ? names : [])
}

/** "Ada" and "Ada Winter" are Ada Winter. */
export const isCreator = (name: string, creator: string): boolean =>
  creator !== '' && (name === creator || name === creator.split(' ')[0])

function toBlock({
  kind,
  lines,
  speaker,
}: {
  kind: TextBlock['kind']
  lines: readonly string[]
  speaker?: string
}): TextBlock {
  // In a chat, each line is separate; elsewhere, a sentence may continue on the next line.
  const text = kind === 'turn' ? lines.map((line) => line.trim()).join('\n') : lines.join(' ')
  return { kind, text: removeMarkdown(text), ...(speaker !== undefined && { speaker }) }
}

/** A short paragraph that does not end like a sentence is a heading, a salutation, a closing or an address. */
const toHeadingIfUnended = (block: TextBlock): TextBlock =>
  block.kind === 'paragraph' &&
  !/[.!?…:;]["'”’)]*$/.test(block.text) &&
  block.text.length <= MAX_HEADING_LENGTH
    ? { ...block, kind: 'heading' }
    : block

const MAX_HEADING_LENGTH = 100

const removeMarkdown = (text: string): string =>
  text
    .replace(/\*\*|__|`|\*(?=\S)|(?<=\S)\*/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
    .replace(/^P\. ?S\. /, '')

/** Statements as plain sentences. Each source is named once, after its statements. */
export function formatStatements(statements: readonly Statement[], creator?: string): string {
  const groups = Map.groupBy(statements, ({ title }) => title)
  return [...groups]
    .map(([title, group]) => {
      const text = joinSimilar(group.map((one) => formatStatement(one, creator))).join(' ')
      return title === undefined ? text : `${text} That is from ${addArticle(title)}.`
    })
    .join(' ')
}

/** A statement as a sentence; a quotation if somebody else said it. */
export function formatStatement(
  { text, speaker }: Pick<Statement, 'text' | 'speaker'>,
  creator?: string,
): string {
  if (creator !== undefined && speaker !== undefined && !isCreator(speaker, creator))
    return `${speaker} said: “${text.replace(/[“”]/g, '"')}”`
  return toSentence(text)
}

/** "I speak Dutch. I speak English." becomes "I speak Dutch and English." */
function joinSimilar(sentences: readonly string[]): readonly string[] {
  const groups = Map.groupBy(
    sentences,
    (sentence) =>
      /^(?:I (?!am|was|have|had)\p{L}+(?: (?:at|as|in|to))?|My \p{L}+ (?:is|was)) /u.exec(sentence)?.[0] ??
      sentence,
  )
  return [...groups].map(([opening, group]) => {
    const [only = opening] = group
    const rests = group.map((sentence) => sentence.slice(opening.length, -1))
    const isJoinable =
      group.length > 1 &&
      rests.every((rest) => rest !== '' && rest.length <= MAX_JOINED_LENGTH && !rest.includes(','))
    if (!isJoinable) return group.length > 1 ? group.join(' ') : only
    return `${opening}${rests.slice(0, -1).join(', ')} and ${rests.at(-1)}.`
  })
}

const MAX_JOINED_LENGTH = 60

/** Titles that begin with the kind of the source. */
const KINDS_OF_SOURCE =
  /^(?:curriculum vitae|cv|diary|interview|letters?|open letter|talk|essay|article|speech|chat|whatsapp|telegram|minutes|working notes|report)\b/i

const addArticle = (title: string): string => (KINDS_OF_SOURCE.test(title) ? `the ${title}` : title)

/** Adds a full stop if the text does not end like a sentence. */
export const toSentence = (text: string): string => (/[.!?…]["'”’)]*$/.test(text) ? text : `${text}.`)

/** Converts a statement about a person to the first person, if a rule applies. Makes dates readable. */
export function toFirstPerson(statement: string, name: string | undefined): string {
  const text = writeOutDates(statement)
  if (name === undefined || !text.startsWith(name)) return text
  const rest = text.slice(name.length)
  const kin = /^['’]s (\p{Ll}.*)$/u.exec(rest)?.[1]
  if (kin !== undefined) return `My ${kin}`
  const [, verb = '', after = ''] = /^ (\p{L}+)(.*)$/u.exec(rest) ?? []
  const form = FIRST_PERSON_VERBS.get(verb) ?? (/..ed$/.test(verb) ? verb : undefined)
  if (form === undefined) return text
  return `I ${form}${after.replace(/^ their\b/, ' my')}`
}

/** The first-person forms of common verbs; other verbs on -ed are unchanged. */
const FIRST_PERSON_VERBS: ReadonlyMap<string, string> = new Map([
  ['is', 'am'],
  ['has', 'have'],
  ...'believes comes dislikes drinks eats enjoys grows hates keeps knows lives likes loves makes mends owes owns plans plays prefers speaks studies teaches wants works writes'
    .split(' ')
    .map((verb) => [verb, toBaseForm(verb)] as const),
  ...'was had won wrote left sold bought built met grew taught became began ran made took gave went came kept lost found'
    .split(' ')
    .map((verb) => [verb, verb] as const),
])

function toBaseForm(verb: string): string {
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`
  return verb.endsWith('ches') ? verb.slice(0, -2) : verb.slice(0, -1)
}

/** "14 March 1968" for 1968-03-14, "May 2023" for 2023-05. */
const writeOutDates = (text: string): string =>
  text.replace(
    /\b(\d{4})-(0[1-9]|1[0-2])(?:-(\d\d))?\b(?![-\d])/g,
    (whole, year: string, month: string, day?: string) => {
      const named = MONTHS[Number(month) - 1]
      if (named === undefined) return whole
      return day === undefined ? `${named} ${year}` : `${Number(day)} ${named} ${year}`
    },
  )
